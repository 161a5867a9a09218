import type { ListedTools } from "@tollgate/gateway/operator"
import { firstSentence, idOf, summaryLine, uniqueIn, wordsOf } from "../import/names.ts"
import { type ImportPrice, isChosen, type Options } from "../import/Options.ts"
import { field, type Fields, present, textOf, pickSchemas, usedSchemas, fieldsOf } from "../import/values.ts"
import * as Findings from "../import/Findings.ts"
import { type Imported, keyOfTool } from "../import/imported.ts"
import { references } from "../import/References.ts"
import { schemaWriter } from "../import/Schemas.ts"

interface Tool {
  readonly name: string
  readonly described: Fields
  readonly id: string
}

const maxLength = 262_144

/** Why a tool cannot be an operation although it can be called; `undefined` if it can. */
const obstacleOf = ({ description, inputSchema, outputSchema, title }: Fields): string | undefined =>
  JSON.stringify([title, description, inputSchema, outputSchema]).length > maxLength
    ? `is described in more than ${maxLength / 1024} kB`
    : undefined

/** Names that are no ids are mapped: `Get Weather/now` becomes `get_weather_now`. */
const toolOf = (described: Fields, index: number, prefix: string, taken: Set<string>): Tool => {
  const name = String(described.name)
  const words = wordsOf(name).length === 0 ? `tool ${index + 1}` : name
  const parts = { prefix, tag: undefined, operationId: words, method: "", path: "" }
  return { name, described, id: uniqueIn(taken, idOf(parts)) }
}

const summaryOf = ({ described, name }: Tool): string => {
  const title = textOf(described.title) ?? textOf(field(described.annotations, "title"))
  return summaryLine(title ?? firstSentence(textOf(described.description)) ?? name)
}

/** What the server hints, by MCP's own defaults: a tool may change things, and twice is more than once. */
const replayOf = (annotations: unknown, price: ImportPrice): "free" | "billed" | "create" => {
  const isRepeatable = field(annotations, "readOnlyHint") === true || field(annotations, "idempotentHint") === true
  if (!isRepeatable) return "create"
  return price === "free" ? "free" : "billed"
}

interface Schemas {
  readonly input: Fields
  readonly output: Fields | undefined
}

/** The tool's result, as MCP's `CallToolResult`. */
const resultSchema = (output: Fields | undefined): Fields => ({
  type: "object",
  properties: {
    content: { type: "array", items: { type: "object", properties: { type: { type: "string" } }, required: ["type"] } },
    structuredContent: output ?? { type: "object" },
    isError: { type: "boolean", description: "The tool failed, and the call costs nothing" }
  },
  required: ["content"]
})

const hasRequired = ({ required }: Fields): boolean => Array.isArray(required) && required.length > 0

const writeTool = (
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
    price,
    replay: replayOf(tool.described.annotations, price),
    upstream: { name: upstream, tool: tool.name }
  })

/** Each schema of a tool is a document of its own. Here all are one, so references get the place of their schema. */
const moved = (value: unknown, place: string): unknown => {
  if (Array.isArray(value)) return value.map((part) => moved(part, place))
  const fields = fieldsOf(value)
  if (fields === undefined) return value
  return Object.fromEntries(
    Object.entries(fields).map(([key, part]) => [
      key,
      key === "$ref" && typeof part === "string" && part.startsWith("#")
        ? `#${place}${part.slice(1)}`
        : moved(part, place)
    ])
  )
}

/** Definitions are written where they are referred to, and the rest says nothing about values. */
const beside = new Set(["$schema", "$id", "$defs", "definitions", "$comment"])

const withoutDefinitions = (schema: unknown): unknown => {
  const fields = fieldsOf(schema)
  return fields && Object.fromEntries(Object.entries(fields).filter(([key]) => !beside.has(key)))
}

/** Writes the schemas of tools for the file, and what they define as its shared schemas. */
const toolSchemas = (tools: ReadonlyArray<Tool>, findings: Findings.Findings) => {
  const document = {
    tools: Object.fromEntries(
      tools.map(({ described: { inputSchema, outputSchema }, id }) => [
        id,
        {
          inputSchema: moved(inputSchema, `/tools/${id}/inputSchema`),
          outputSchema: moved(outputSchema, `/tools/${id}/outputSchema`)
        }
      ])
    )
  }
  const writer = schemaWriter(references(document), false, findings)
  return {
    of: ({ id }: Tool): Schemas => {
      const schemas = document.tools[id]
      const input = writer.write(withoutDefinitions(schemas?.inputSchema), ["tools", id, "inputSchema"], "request")
      const hasOutput = fieldsOf(schemas?.outputSchema) !== undefined
      const output = hasOutput
        ? writer.write(withoutDefinitions(schemas?.outputSchema), ["tools", id, "outputSchema"], "answer")
        : undefined
      return { input, output }
    },
    named: (): Fields => writer.named()
  }
}

export interface ToolOptions extends Options {
  /** By the tool's name, instead of `price`. */
  readonly prices: ReadonlyMap<string, ImportPrice>
}

export const importTools = (offered: ListedTools, options: ToolOptions): Imported => {
  const { leftOut, revision, server } = offered
  const findings = Findings.make()
  for (const { name, reason } of leftOut) findings.skip(["tools", name], reason)
  const ids = new Set<string>()
  const usable = offered.tools.flatMap(({ described, name }, i): ReadonlyArray<Tool> => {
    const obstacle = obstacleOf(described)
    if (obstacle === undefined) return [toolOf(described, i, options.prefix, ids)]
    findings.skip(["tools", name.slice(0, 100)], obstacle)
    return []
  })
  const isWanted = ({ id, name }: Tool) => isChosen(options.only, { id, method: "POST", path: name, tags: [] })
  const chosen = usable.filter(isWanted)
  const schemas = toolSchemas(chosen, findings)
  const operations = chosen.map((tool): Fields => {
    const price = options.prices.get(tool.name) ?? options.price
    return writeTool(tool, schemas.of(tool), price, options)
  })
  const all = { ...schemas.named(), ToolResult: resultSchema(undefined) }
  const used = usedSchemas(operations, all)
  return {
    title: server ?? "MCP server",
    format: "MCP",
    version: revision,
    server: undefined,
    security: [],
    operations,
    schemas: pickSchemas(all, (name) => used.has(name)),
    total: offered.tools.length + leftOut.length,
    chosen: chosen.length,
    keys: new Set(usable.map(({ name }) => keyOfTool(name))),
    findings
  }
}
