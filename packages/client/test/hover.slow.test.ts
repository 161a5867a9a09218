import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { languageServer } from "./languageServer.ts"

let editor: Awaited<ReturnType<typeof languageServer>>

beforeAll(async () => {
  editor = await languageServer()
})

afterAll(() => editor.stop())

const program = `
import { chatCompletions, chatCompletionsStream, createClient, quote, rerank, type RerankError, rerank as notCalled } from "@tollgate/client"

const ranked = rerank({ query: "q", documents: ["d"] })
const chat = chatCompletions({ model: "m", messages: [] })
const events = chatCompletionsStream({ model: "m", messages: [] })
const price = quote(rerank, { query: "q", documents: ["d"] })
const promised = createClient({ credential: "k" }).rerank({ query: "q", documents: ["d"] })
const { results } = await promised
const { usage } = await createClient({ credential: "k" }).chatCompletions({ model: "m", messages: [] })
export type E = RerankError
`

describe("an editor shows", () => {
  let opened: ReturnType<typeof editor.open>
  const shown = async (code: string) => (await opened.hover(code)).replace("(alias) ", "")
  beforeAll(() => {
    opened = editor.open(program)
  })

  it("the input, the result and the errors of an operation by name", async () => {
    const signature =
      "const rerank: (input: RerankInput, options?: CallOptions) => Effect<RerankResult, RerankError, Client>"
    expect(await shown("rerank({ query")).toContain(signature)
    expect(await shown("rerank as notCalled")).toContain(signature)
    expect(await shown("chatCompletions({ model")).toContain(
      "const chatCompletions: (input: ChatCompletionsInput, options?: CallOptions) => Effect<ChatCompletion, ChatCompletionsError, Client>"
    )
    expect(await shown("chatCompletionsStream({")).toContain(
      "const chatCompletionsStream: (input: ChatCompletionsStreamInput, options?: StreamOptions) => Stream<ChatCompletionChunk, ChatCompletionsStreamError, Client>"
    )
  })

  it("what it does, with an example", async () => {
    const text = await shown("rerank({ query")
    expect(text).toContain("Order documents by their relevance to a query.")
    expect(text).toMatch(/yield\* rerank\(\{\s+query:/)
  })

  it("what a field of the input means", async () => {
    const text = await shown('documents: ["d"] })\nconst chat')
    expect(text).toContain("(property) RerankInput.documents: readonly string[]")
    expect(text).toContain("At least one.")
  })

  it("what an option means, of a client, a call, a stream, a quote and a derived client", async () => {
    const options = `
import { awaitVideo, createClient, rerank } from "@tollgate/client"
const input = { query: "q", documents: ["d"] }
const tollgate = createClient({ timeout: 1, idleTimeout: 2, maxPrice: "0.01" })
tollgate.rerank(input, { timeout: 3 })
tollgate.quote.rerank(input, { attemptTimeout: 4 })
tollgate.messagesStream({ model: "m", max_tokens: 1, messages: [] }, { idleTimeout: 5, onCharge: () => {} })
tollgate.with({ timeout: 6, retries: 7 })
tollgate.generateVideo({ model: "m", input: { prompt: "p" } }, { timeout: 8, retries: 9 })
rerank(input, { timeout: 10 })
awaitVideo("t", { timeout: 11 })
`
    const client = editor.open(options)
    for (let n = 1; n <= 11; n++) {
      const [code = ""] = new RegExp(`\\w+: ${n}\\b`).exec(options) ?? []
      const [type = "", ...words] = (await client.hover(code)).split("undefined")
      expect([code, type]).toEqual([code, expect.stringMatching(/: (?:Duration \| Time|number) \| $/)])
      expect(words.join("").length, code).toBeGreaterThan(20)
    }
    expect(await client.hover('maxPrice: "0.01"')).toMatch(/maxPrice\?: Usd \| undefined.+"0\.05"/s)
    expect(await client.hover("onCharge")).toContain("Called once with the charge")
    expect(await client.problems()).toEqual([])
  })

  it("the errors of an operation as a list of classes", async () => {
    const [, listed] = /type RerankError = ([\w |]+)$/.exec(await shown("RerankError\n")) ?? []
    expect(listed?.split(" | ").toSorted()).toEqual([
      "AnswerInvalid",
      "BudgetExceeded",
      "Conflict",
      "CredentialUnavailable",
      "InputInvalid",
      "InvalidRequest",
      "NotFound",
      "OutcomeUnknown",
      "OverBudget",
      "PaceExceeded",
      "RateLimited",
      "ServerFault",
      "TransportFailed",
      "Unauthenticated",
      "Unavailable",
      "UnexpectedStatus",
      "Unprocessable",
      "UpstreamFailed"
    ])
  })

  it("a quote of the operation's own input", async () => {
    expect(await shown("quote(rerank")).toContain(
      "const quote: <RerankInput>(f: CallFunction<RerankInput, unknown, unknown>, input: NoInfer<RerankInput>, options?: QuoteOptions) => Effect<CallPrice, QuoteError, Client>"
    )
  })

  it("the promise client's functions with their example", async () => {
    const text = await shown('rerank({ query: "q", documents: ["d"] })\nconst { results')
    expect(text).toContain("rerank: (input: RerankInput, options?: PromiseCallOptions) => ")
    expect(text).toContain("Promise<RerankResult>")
    expect(text).toMatch(/await tollgate\.rerank\(\{\s+query:/)
  })

  it("the parts of a result by name", async () => {
    expect(await shown("results }")).toBe("const results: readonly RankedDocument[]")
    expect(await shown("usage }")).toBe("const usage: ChatUsage | undefined")
  })

  it("no problem", async () => {
    expect(await opened.problems()).toEqual([])
  })
})

describe("an editor refuses", () => {
  const problems = (code: string) =>
    editor
      .open(`import { chatCompletions, creatorInsights, quote, rerank } from "@tollgate/client"\n${code}`)
      .problems()

  const misspelt =
    "Object literal may only specify known properties, but 'topN' does not exist in type 'RerankInput'. Did you mean to write 'top_n'?"

  it("a misspelt field, and names the right one", async () => {
    expect(await problems(`rerank({ query: "q", documents: ["d"], topN: 1 })`)).toEqual([misspelt])
    expect(await problems(`quote(rerank, { query: "q", documents: ["d"], topN: 1 })`)).toEqual([misspelt])
  })

  it("a stream of a function that does not stream", async () => {
    expect(await problems(`chatCompletions({ model: "m", messages: [], stream: true })`)).toEqual([
      "Type 'true' is not assignable to type 'false'."
    ])
  })

  it("a text for a pending parameter that is a number", async () => {
    expect(await problems(`creatorInsights({ keyword: "k", offset: "1" })`)).toEqual([
      "Type 'string' is not assignable to type 'number'."
    ])
  })
})
