import type { OfferedTools } from "@tollgate/gateway/operator"
import * as Findings from "../import/Findings.ts"
import { type Imported, keyOfTool } from "../import/imported.ts"
import { isChosen } from "../import/only.ts"
import type { ImportPrice } from "../import/prices.ts"
import { pickSchemas, usedSchemas } from "../import/usedSchemas.ts"
import { field, type Fields, fieldsOf, textOf } from "../import/values.ts"
import { obstacleOf, resultSchema, type Tool, toolOf, writeTool } from "./tool.ts"
import { toolSchemas } from "./toolSchemas.ts"

export interface Options {
  /** The upstream that calls the tools. */
  readonly upstream: string
  /** The first segment after `/apis/v1/`, and the first part of ids. */
  readonly prefix: string
  readonly price: ImportPrice
  /** By the tool's name, instead of `price`. */
  readonly prices: ReadonlyMap<string, ImportPrice>
  readonly only: ReadonlyArray<string>
}

/** Makes an operation of every tool that a server offers. */
export const importTools = ({ revision, server, tools }: OfferedTools, options: Options): Imported => {
  const findings = Findings.make()
  const ids = new Set<string>()
  const names = new Set<string>()
  const usable = tools.flatMap((described, i): ReadonlyArray<Tool> => {
    const fields = fieldsOf(described)
    const obstacle = obstacleOf(described)
    const name = textOf(field(described, "name"))?.slice(0, 100) ?? i
    if (obstacle !== undefined || fields === undefined) {
      findings.skip(["tools", name], obstacle ?? "is not a tool")
      return []
    }
    const tool = toolOf(fields, i, options.prefix, ids)
    if (names.has(tool.name)) {
      findings.skip(["tools", name], "is listed twice")
      return []
    }
    names.add(tool.name)
    return [tool]
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
    total: tools.length,
    chosen: chosen.length,
    keys: new Set([...names].map(keyOfTool)),
    findings
  }
}
