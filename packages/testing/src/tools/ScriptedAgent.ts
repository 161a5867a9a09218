import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

type Fields = Readonly<Record<string, unknown>>

/** A call of a tool, as a model pays for it: what it writes and what it reads. */
export interface Step {
  readonly tool: string
  /** The arguments that it writes, and the text that it reads. */
  readonly bytes: number
  /** What it sees or hears, by kind. */
  readonly blocks: ReadonlyArray<string>
}

interface Block {
  readonly type: string
  readonly text?: string
}

export interface Refusal {
  readonly code: string
  readonly what_to_do: string
}

/** What a tool returned. */
export interface Result {
  readonly isError: boolean
  readonly content: Fields
  readonly error: Refusal | undefined
  readonly blocks: ReadonlyArray<string>
}

/** An operation that a search found. */
export interface Candidate {
  readonly operation_id: string
  readonly price: string
}

const bytesOf = (text: string): number => Buffer.byteLength(text)

const isText = ({ type }: Block): boolean => type === "text"

/** Finds a value by a path such as `body.output.task_id`. */
export const valueAt = (value: unknown, path: string): unknown =>
  path.split(".").reduce((inner: unknown, name) => (inner as Fields | undefined)?.[name], value)

export const textAt = (value: unknown, path: string): string => {
  const found = valueAt(value, path)
  if (typeof found !== "string" || found === "") throw new Error(`no text at ${path}: ${JSON.stringify(value)}`)
  return found
}

/** An agent of the official MCP client. It knows what tools tell it, and no operation by name. */
export class ScriptedAgent {
  readonly steps: Array<Step> = []
  /** What the client shows its model once: the instructions and the tools. */
  readonly known: { readonly bytes: number; readonly tools: ReadonlyArray<string> }
  readonly #client: Client

  private constructor(client: Client, known: ScriptedAgent["known"]) {
    this.#client = client
    this.known = known
  }

  static async connect(baseUrl: string, credential: string): Promise<ScriptedAgent> {
    const client = new Client({ name: "agent", version: "1.0.0" })
    const requestInit = { headers: { authorization: `Bearer ${credential}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }))
    const { tools } = await client.listTools()
    const bytes = bytesOf(JSON.stringify(tools)) + bytesOf(client.getInstructions() ?? "")
    return new ScriptedAgent(client, { bytes, tools: tools.map(({ name }) => name) })
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  async call(tool: string, input: Fields): Promise<Result> {
    const result = await this.#client.callTool({ name: tool, arguments: { ...input } })
    const all = result.content as ReadonlyArray<Block>
    const text = all.filter(isText).map(({ text = "" }) => text)
    const blocks = all.filter((block) => !isText(block)).map(({ type }) => type)
    this.steps.push({ tool, blocks, bytes: bytesOf(JSON.stringify(input)) + bytesOf(text.join("")) })
    const content = JSON.parse(text[0] ?? "{}") as Fields
    const error = content["error"] as Refusal | undefined
    return { isError: result.isError === true, content, error, blocks }
  }

  /** The operations that a search finds, best first. */
  async search(query: string): Promise<ReadonlyArray<Candidate>> {
    const { content } = await this.call("search", { query })
    return content["results"] as ReadonlyArray<Candidate>
  }

  /** The best operation for a question. */
  async find(query: string): Promise<string> {
    const [best] = await this.search(query)
    if (best === undefined) throw new Error(`nothing was found: ${query}`)
    return best.operation_id
  }

  /** The example of an operation, to be changed where the task says something else. */
  async example(operation_id: string): Promise<Fields> {
    const { content } = await this.call("get_details", { operation_id })
    return valueAt(content, "details.example") as Fields
  }

  /** Calls an operation that must succeed. */
  async use(operation_id: string, input: Fields, more: Fields = {}): Promise<Result> {
    const result = await this.call("use", { operation_id, arguments: input, ...more })
    if (result.isError) throw new Error(`${operation_id} failed: ${JSON.stringify(result.content)}`)
    return result
  }
}
