import { componentsOf } from "./components.ts"
import { followed, isJsonSchema, type JsonSchema, type JsonSchemaDocument, referenced } from "./JsonSchemaDocument.ts"
import { kindOf } from "./subschemas.ts"

type Definitions = JsonSchemaDocument["definitions"]

const valuesOf = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : isJsonSchema(value) ? Object.values(value) : []

/** The schemas that a schema consists of, and those that it refers to. */
const partsOf = (schema: JsonSchema, definitions: Definitions, without = ""): ReadonlyArray<JsonSchema> =>
  Object.entries(schema).flatMap(([key, value]) => {
    const kind = key === without ? undefined : kindOf(key)
    const parts = kind === "one" ? [value] : kind === undefined ? [] : valuesOf(value)
    const referredTo = key === "$ref" && typeof value === "string" ? [referenced(value, definitions)] : []
    return [...parts, ...referredTo].filter(isJsonSchema)
  })

const primitive = (value: unknown): boolean => typeof value !== "object" || value === null

/** The values that a member requires of one of its properties. */
const tagIn = (member: JsonSchema, name: string): ReadonlyArray<unknown> | undefined => {
  const { properties, required } = member
  const property = isJsonSchema(properties) ? properties[name] : undefined
  if (!isJsonSchema(property) || !Array.isArray(required) || !required.includes(name)) return undefined
  const values = Object.hasOwn(property, "const") ? [property["const"]] : valuesOf(property["enum"])
  return values.length > 0 && values.every(primitive) ? values : undefined
}

const haveTag = (members: ReadonlyArray<JsonSchema>): boolean =>
  Object.keys(isJsonSchema(members[0]?.["properties"]) ? members[0]["properties"] : {}).some((name) => {
    const tags = members.map((member) => tagIn(member, name))
    const values = tags.flatMap((tag) => tag ?? [])
    return tags.every((tag) => tag !== undefined) && new Set(values).size === values.length
  })

/** Whether a value shows which of the members it can be, by its type or by a property. */
const areToldApart = (members: ReadonlyArray<JsonSchema>): boolean => {
  const types = members.map(({ type }) => type)
  if (!types.every((type) => typeof type === "string")) return members.length < 2 || haveTag(members)
  return [...new Set(types)].every((type) => {
    const same = members.filter((member) => member["type"] === type)
    return same.length < 2 || haveTag(same)
  })
}

/**
 * The lists of `anyOf` and `oneOf` that contain themselves in several members. Each level of a value would be checked once for
 * each of them, so that a few hundred bytes could take hours.
 */
export const costlyUnions = ({ definitions, schema }: JsonSchemaDocument): ReadonlySet<unknown> => {
  const costly = new Set<unknown>()
  if (typeof schema === "boolean") return costly
  const components = componentsOf(schema, (schema) => partsOf(schema, definitions))
  for (const [union, component] of components) {
    const containsUnion = (part: JsonSchema) => components.get(part) === component
    for (const key of ["anyOf", "oneOf"]) {
      const members = valuesOf(union[key]).filter(isJsonSchema)
      if (members.length < 2) continue
      // What stands beside the list is checked with each of its members.
      const again = partsOf(union, definitions, key).some(containsUnion) ? members : members.filter(containsUnion)
      const meant = again.map((member) => followed({ schema: member, definitions })).filter(isJsonSchema)
      if (meant.length > 1 && !areToldApart(meant)) costly.add(union[key])
    }
  }
  return costly
}
