import type { OfferedTools } from "@tollgate/gateway/operator"
import * as Findings from "../import/Findings.ts"
import { type Imported, keyOfTool } from "../import/imported.ts"
import { type ImportPrice, isChosen, type Options } from "../import/Options.ts"
import { references } from "../import/References.ts"
import { schemaWriter } from "../import/Schemas.ts"
import { pickSchemas, usedSchemas } from "../import/usedSchemas.ts"
import { type Fields, fieldsOf } from "../import/values.ts"
import { obstacleOf, resultSchema, type Schemas, type Tool, toolOf, writeTool } from "./tool.ts"

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

/** Makes an operation of every tool that a server offers. */
export const importTools = (offered: OfferedTools, options: ToolOptions): Imported => {
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
