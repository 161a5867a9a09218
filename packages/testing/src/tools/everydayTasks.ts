import { type Candidate, type ScriptedAgent, textAt, valueAt } from "./ScriptedAgent.ts"

type Fields = Readonly<Record<string, unknown>>

/** What a person asks an agent for, and how it goes about it. It returns what it tells the person. */
export interface Task {
  readonly title: string
  readonly run: (agent: ScriptedAgent) => Promise<string>
}

const task = (title: string, run: Task["run"]): Task => ({ title, run })

let keys = 0
/** Terms of a paid call, which the person approved. */
const upTo = (max_price_usd: number): Fields => ({ max_price_usd, idempotency_key: `everyday ${++keys}` })

const documents = Array.from({ length: 100 }, (_, i) => `Document ${i}: rivers, hills and the sea.`)
const question = [{ role: "user", content: "Why do rivers bend?" }]
const { floor } = Math
const now = () => floor(Date.now() / 1_000)

/** What a call would cost: a cap of nothing is refused with the price. */
const quoted = async (agent: ScriptedAgent, { operation_id }: Candidate, input: Fields) => {
  const { content } = await agent.call("use", { operation_id, arguments: input, max_price_usd: 0 })
  return { operation_id, usd: Number(textAt(content, "price.max_usd")) }
}

export const everydayTasks: ReadonlyArray<Task> = [
  task("What can I do here?", async (agent) => {
    const { content } = await agent.call("list_categories", {})
    const categories = content["categories"] as ReadonlyArray<{ readonly name: string }>
    return categories.map(({ name }) => name).join(", ")
  }),
  task("What is my balance?", async (agent) => {
    const { content } = await agent.use(await agent.find("what is my balance"), {})
    return JSON.stringify(valueAt(content, "body"))
  }),
  task("What did I spend this week?", async (agent) => {
    const operation = await agent.find("what did I spend this week")
    const example = await agent.example(operation)
    const { content } = await agent.use(operation, { ...example, start_time: now() - 7 * 86_400, end_time: now() })
    return `${String(valueAt(content, "body.totals.charged_micros_usd"))} micro-USD`
  }),
  task("What does a picture cost?", async (agent) => {
    const [picture] = await agent.search("make a picture")
    const prices = await agent.find("what does an operation cost")
    const { content } = await agent.use(prices, { operation_id: picture?.operation_id })
    return JSON.stringify(valueAt(content, "body"))
  }),
  task("Which models are there?", async (agent) => {
    const { content } = await agent.use(await agent.find("which models are available"), {})
    return JSON.stringify(valueAt(content, "body.data"))
  }),
  task("Answer a question, for at most 1 cent", async (agent) => {
    const operation = await agent.find("chat completion of a language model")
    const example = await agent.example(operation)
    const { content } = await agent.use(operation, { ...example, messages: question }, upTo(0.01))
    return textAt(content, "body.choices.0.message.content")
  }),
  task("Order 100 documents in the cheapest way", async (agent) => {
    const found = await agent.search("rerank documents by relevance")
    const ways = found.filter(({ operation_id }) => operation_id.includes("rerank"))
    const input = { model: "sandbox", query: "river", documents, top_n: 3 }
    const prices = []
    for (const way of ways) prices.push(await quoted(agent, way, input))
    const [cheapest] = prices.toSorted((a, b) => a.usd - b.usd)
    if (cheapest === undefined || prices.length < 2) throw new Error("there are not two ways")
    const { content } = await agent.use(cheapest.operation_id, input, upTo(cheapest.usd))
    return `${cheapest.operation_id} for ${textAt(content, "cost.usd")} USD`
  }),
  task("Make a picture", async (agent) => {
    const operation = await agent.find("draw a picture of a river")
    const example = await agent.example(operation)
    const { blocks } = await agent.use(operation, { ...example, prompt: "a river" }, upTo(0.05))
    if (!blocks.includes("image")) throw new Error("the model does not see the picture")
    return blocks.join(", ")
  }),
  task("Make a video and wait for it", async (agent) => {
    const operation = await agent.find("make a video from a text")
    const example = await agent.example(operation)
    const started = await agent.use(operation, example, upTo(0.1))
    let state = valueAt(started.content, "task") as Fields
    while (state["done"] !== true) {
      const next = state["next"] as { readonly operation_id: string; readonly arguments: Fields }
      const { content } = await agent.call("use", { ...next, wait_seconds: 30 })
      state = valueAt(content, "task") as Fields
    }
    return String(state["status"])
  }),
  task("Read the comments on a post, two pages", async (agent) => {
    const operation = await agent.find("comments on a post")
    await agent.example(operation)
    const url = "https://photos.example/p/3"
    const first = await agent.use(operation, { url }, upTo(0.1))
    const cursor = textAt(first.content, "body.cursor")
    const second = await agent.use(operation, { url, cursor }, upTo(0.1))
    const counts = [first, second].map(
      ({ content }) => (valueAt(content, "body.comments") as ReadonlyArray<unknown>).length
    )
    return `${counts.join(" and ")} comments`
  }),
  task("Link my account on a platform", async (agent) => {
    const { content } = await agent.use(await agent.find("connect my account on the platform"), {})
    return textAt(content, "body.auth_url")
  }),
  task("Follow somebody, though no account is linked", async (agent) => {
    const operation = await agent.find("follow a user")
    const example = await agent.example(operation)
    const { error } = await agent.call("use", { operation_id: operation, arguments: example, ...upTo(0.05) })
    if (error === undefined) throw new Error("it was not refused")
    return `${error.code}: ${error.what_to_do}`
  }),
  task("Several calls at once, for at most 5 cents", async (agent) => {
    const operation = await agent.find("embed texts as vectors")
    const example = await agent.example(operation)
    const { content } = await agent.call("batch_use", {
      calls: ["river", "hill", "sea"].map((input) => ({
        operation_id: operation,
        arguments: { ...example, input, dimensions: 8 },
        ...upTo(0.01)
      })),
      max_total_usd: 0.05
    })
    if (content["succeeded"] !== 3) throw new Error(JSON.stringify(content))
    return `${textAt(content, "charged_usd")} USD`
  }),
  task("A call above its cap: ask, then repeat it", async (agent) => {
    const operation = await agent.find("a research report with sources")
    const input = await agent.example(operation)
    const terms = upTo(0.000001)
    const refused = await agent.call("use", { operation_id: operation, arguments: input, ...terms })
    if (refused.error?.code !== "over_cap") throw new Error(JSON.stringify(refused.content))
    // The person says yes to the largest price.
    const max_price_usd = Number(textAt(refused.content, "price.max_usd"))
    const { content } = await agent.use(operation, input, { ...terms, max_price_usd })
    return `refused: ${refused.error.what_to_do} Then ${textAt(content, "cost.usd")} USD`
  }),
  task("A call with a wrong argument: correct it", async (agent) => {
    const operation = await agent.find("financial metrics of a company")
    const example = await agent.example(operation)
    const [name = ""] = Object.keys(example)
    const wrong = await agent.call("use", {
      operation_id: operation,
      arguments: { [name]: { wrong: 1 } },
      ...upTo(0.05)
    })
    if (wrong.error === undefined) throw new Error("it was not refused")
    await agent.use(operation, example, upTo(0.05))
    return `${wrong.error.code}: ${wrong.error.what_to_do}`
  })
]
