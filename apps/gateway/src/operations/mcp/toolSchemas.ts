import type { Findings } from "../import/Findings.ts"
import { references } from "../import/References.ts"
import { schemaWriter } from "../import/Schemas.ts"
import { type Fields, fieldsOf } from "../import/values.ts"
import type { Schemas, Tool } from "./tool.ts"

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
export const toolSchemas = (tools: ReadonlyArray<Tool>, findings: Findings) => {
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
