import { idOf, uniqueIn, wordsOf } from "../import/names.ts"
import { type ImportPrice, priceOf } from "../import/Options.ts"
import { field, type Fields, present, textOf } from "../import/values.ts"

/** A tool of the server that can be an operation. */
export interface Tool {
  readonly name: string
  readonly described: Fields
  readonly id: string
}

const maxLength = 262_144

/** Why a tool cannot be an operation although it can be called; `undefined` if it can. */
export const obstacleOf = ({ description, inputSchema, outputSchema, title }: Fields): string | undefined =>
  JSON.stringify([title, description, inputSchema, outputSchema]).length > maxLength
    ? `is described in more than ${maxLength / 1024} kB`
    : undefined

/** Names that are no ids are mapped: `Get Weather/now` becomes `get_weather_now`. */
export const toolOf = (described: Fields, index: number, prefix: string, taken: Set<string>): Tool => {
  const name = String(described.name)
  const words = wordsOf(name).length === 0 ? `tool ${index + 1}` : name
  const parts = { prefix, tag: undefined, operationId: words, method: "", path: "" }
  return { name, described, id: uniqueIn(taken, idOf(parts)) }
}

const maxSummary = 200

const summaryOf = ({ described, name }: Tool): string => {
  const [sentence] = textOf(described.description)?.split(/\n|(?<=\.)\s/u) ?? []
  const text = textOf(described.title) ?? textOf(field(described.annotations, "title")) ?? sentence ?? name
  const line = text.replaceAll(/\s+/g, " ")
  return line.length <= maxSummary ? line : `${line.slice(0, maxSummary - 1)}…`
}

/** What the server hints, by MCP's own defaults: a tool may change things, and twice is more than once. */
export const replayOf = (annotations: unknown, price: ImportPrice): "free" | "billed" | "create" => {
  const isRepeatable = field(annotations, "readOnlyHint") === true || field(annotations, "idempotentHint") === true
  if (!isRepeatable) return "create"
  return price === "free" ? "free" : "billed"
}

export interface Schemas {
  readonly input: Fields
  readonly output: Fields | undefined
}

/** The tool's result, as MCP's `CallToolResult`. */
export const resultSchema = (output: Fields | undefined): Fields => ({
  type: "object",
  properties: {
    content: { type: "array", items: { type: "object", properties: { type: { type: "string" } }, required: ["type"] } },
    structuredContent: output ?? { type: "object" },
    isError: { type: "boolean", description: "The tool failed, and the call costs nothing" }
  },
  required: ["content"]
})

const hasRequired = ({ required }: Fields): boolean => Array.isArray(required) && required.length > 0

/** Writes a tool as an entry of the file. */
export const writeTool = (
  tool: Tool,
  { input, output }: Schemas,
  price: ImportPrice,
  { prefix, upstream }: { readonly prefix: string; readonly upstream: string }
): Fields =>
  present({
    id: tool.id,
    category: wordsOf(prefix).join(" ").slice(0, 40).trim() || "tools",
    summary: summaryOf(tool),
    description: textOf(tool.described.description),
    method: "POST",
    path: `/apis/v1/${prefix}/${tool.id.slice(tool.id.indexOf(".") + 1)}`,
    body: present({ schema: input, required: hasRequired(input) ? true : undefined }),
    answer: { schema: output === undefined ? { $ref: "#/schemas/ToolResult" } : resultSchema(output) },
    price: priceOf(price),
    replay: replayOf(tool.described.annotations, price),
    upstream: { name: upstream, tool: tool.name }
  })
