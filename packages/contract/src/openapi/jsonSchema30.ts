import { isJsonSchema } from "../jsonSchema/JsonSchemaDocument.ts"
import { kindOf } from "../jsonSchema/subschemas.ts"
import { onlyNull } from "./jsonSchema.ts"

/** What a schema of OpenAPI 3.0 may have, besides what `schema30` converts. */
const known = new Set([
  "title",
  "description",
  "default",
  "format",
  "enum",
  "const",
  "type",
  "nullable",
  "readOnly",
  "writeOnly",
  "deprecated",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "required",
  "items",
  "properties",
  "additionalProperties",
  "allOf",
  "anyOf",
  "oneOf",
  "not"
])

const anything = {}
const nothing = { not: {} }

const typed = (type: unknown): object => {
  if (!Array.isArray(type)) return { type }
  const others = type.filter((name) => name !== "null")
  const nullable = others.length < type.length ? { nullable: true } : {}
  if (others.length === 1) return { type: others[0] as unknown, ...nullable }
  return others.length === 0 ? onlyNull : { anyOf: others.map((name) => described30({ type: name })), ...nullable }
}

const isNull = (schema: unknown): boolean => isJsonSchema(schema) && schema["type"] === "null"

/** OpenAPI 3.0 has `nullable` for an alternative that is null. */
const alternatives = (key: string, members: ReadonlyArray<unknown>): object => ({
  ...(members.every(isNull) ? onlyNull : { [key]: members.filter((member) => !isNull(member)).map(described30) }),
  ...(members.some(isNull) ? { nullable: true } : {})
})

const inner = (key: string, value: unknown): unknown => {
  const kind = kindOf(key)
  if (kind === "one") return typeof value === "boolean" && key !== "items" ? value : described30(value)
  if (kind === "list" && Array.isArray(value)) return value.map(described30)
  return kind === "named" && isJsonSchema(value)
    ? Object.fromEntries(Object.entries(value).map(([name, property]) => [name, described30(property)]))
    : value
}

/** OpenAPI 3.0 allows `nullable` only beside a type: null is an alternative instead. A word of 3.0 in JSON Schema means nothing. */
const withoutType = ({ anyOf, nullable, oneOf }: Record<string, unknown>, isOnlyNull: boolean): object => {
  const none = { nullable: undefined }
  if (nullable !== true) return none
  if (Array.isArray(anyOf)) return { ...none, anyOf: [...(anyOf as ReadonlyArray<unknown>), onlyNull] }
  if (Array.isArray(oneOf)) return { ...none, oneOf: [...(oneOf as ReadonlyArray<unknown>), onlyNull] }
  return isOnlyNull ? onlyNull : none
}

/** Leaves out of any JSON Schema what OpenAPI 3.0 cannot express, so that `schema30` can convert the rest. */
export const described30 = (schema: unknown): unknown => {
  if (!isJsonSchema(schema)) return schema === false ? nothing : anything
  if (typeof schema["$ref"] === "string") return { $ref: schema["$ref"] }
  const out: Record<string, unknown> = {}
  const [example] = Array.isArray(schema["examples"]) ? schema["examples"] : [schema["example"]]
  for (const [key, value] of Object.entries(schema)) {
    // Alternatives of its own say more than several types.
    if (key === "type" && Array.isArray(value) && schema["anyOf"] !== undefined) continue
    else if (key === "type") Object.assign(out, typed(value))
    else if ((key === "anyOf" || key === "oneOf") && Array.isArray(value)) Object.assign(out, alternatives(key, value))
    else if (key.startsWith("x-")) out[key] = value
    else if (known.has(key)) out[key] = inner(key, value)
  }
  // A list says what its items are, and `null` alone is no type of OpenAPI 3.0.
  if (out["type"] === "array") out["items"] ??= anything
  const isOnlyNull = out["type"] === "null"
  if (isOnlyNull) {
    delete out["type"]
    out["nullable"] = true
  }
  if (out["nullable"] !== undefined && out["type"] === undefined) Object.assign(out, withoutType(out, isOnlyNull))
  if (Array.isArray(out["required"]) && out["required"].length === 0) delete out["required"]
  return example === undefined ? out : { ...out, example }
}
