import { isJsonSchema, type JsonSchema, type JsonSchemaDocument } from "../JsonSchemaDocument.ts"
import { patternProblem } from "./pattern.ts"
import { bounds, isTooWide } from "./SchemaNode.ts"

export interface Unchecked {
  readonly keyword: string
  readonly reason: string
}

const lists = ["allOf", "anyOf", "oneOf"]

const patternsIn = (patterns: unknown): string | undefined => {
  const names = isJsonSchema(patterns) ? Object.keys(patterns) : []
  if (names.length > bounds.patterns) return `has more than ${bounds.patterns} patterns`
  const problem = names.map(patternProblem).find((problem) => problem !== undefined)
  return problem === undefined ? undefined : `a pattern ${problem}`
}

/** The keywords of one schema that the gateway does not check, because a value could take long. Others are not counted. */
export const uncheckedIn = (
  schema: JsonSchema,
  definitions: JsonSchemaDocument["definitions"]
): ReadonlyArray<Unchecked> => {
  const found: Array<Unchecked> = []
  const add = (keyword: string, reason: string | undefined) => {
    if (reason !== undefined) found.push({ keyword, reason })
  }
  const { enum: values, pattern, patternProperties } = schema
  if (Array.isArray(values) && values.length > bounds.values) add("enum", `has more than ${bounds.values} values`)
  const problem = typeof pattern === "string" ? patternProblem(pattern) : undefined
  if (problem !== undefined) add("pattern", `the pattern ${problem}`)
  if (patternProperties !== undefined) add("patternProperties", patternsIn(patternProperties))
  if (isTooWide(schema, definitions)) {
    for (const keyword of lists) {
      if (Array.isArray(schema[keyword])) add(keyword, `leads to more than ${bounds.schemas} schemas for one value`)
    }
  }
  return found
}
