import { attempt } from "../attempt.ts"
import * as Predicate from "effect/Predicate"

export type JsonSchema = Readonly<Record<string, unknown>>

/** A JSON Schema of draft 2020-12. It refers to its definitions as `#/$defs/Name`. */
export interface JsonSchemaDocument {
  readonly schema: JsonSchema | boolean
  /** Those that it can refer to, and maybe others: several documents may share them. */
  readonly definitions: Readonly<Record<string, JsonSchema>>
}

export const isJsonSchema = (value: unknown): value is JsonSchema => Predicate.isObject(value)

const inDefinitions = "#/$defs/"

const unescaped = (token: string): string =>
  attempt(() => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~")) ?? token

/** The names on the way to what a reference means, the first of them a definition's. */
export const referenceTokens = (reference: string): ReadonlyArray<string> | undefined =>
  reference.startsWith(inDefinitions) ? reference.slice(inDefinitions.length).split("/").map(unescaped) : undefined

/** What a reference means. `undefined`: it leads nowhere. */
export const referenced = (
  reference: string,
  definitions: JsonSchemaDocument["definitions"]
): JsonSchema | boolean | undefined => {
  const tokens = referenceTokens(reference)
  if (tokens === undefined) return undefined
  let found: unknown = definitions
  for (const token of tokens) {
    if (!Predicate.isObject(found) || !Object.hasOwn(found, token)) return undefined
    found = found[token as keyof typeof found]
  }
  return isJsonSchema(found) || typeof found === "boolean" ? found : undefined
}

const deepest = 32

/** The schema behind a chain of references. */
export const followed = ({ definitions, schema }: JsonSchemaDocument): JsonSchema | boolean => {
  let found: JsonSchema | boolean = schema
  for (let i = 0; i < deepest && typeof found === "object" && typeof found["$ref"] === "string"; i++) {
    found = referenced(found["$ref"], definitions) ?? true
  }
  return found
}
