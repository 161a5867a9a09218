import { followed, isJsonSchema, type JsonSchema, type JsonSchemaDocument, referenced } from "./JsonSchemaDocument.ts"
import { kindOf } from "./subschemas.ts"

/** For each node that can be reached, a number: nodes that reach each other have the same one (Kosaraju's algorithm). */
const componentsOf = <N>(start: N, next: (node: N) => ReadonlyArray<N>): ReadonlyMap<N, number> => {
  const followers = new Map<N, ReadonlyArray<N>>()
  const before = new Map<N, Array<N>>()
  const done: Array<N> = []
  // No recursion: a chain of references may be longer than the stack. A node on the stack twice is left the second time.
  const left: Array<{ readonly node: N; readonly isLeft: boolean }> = [{ node: start, isLeft: false }]
  for (let step = left.pop(); step !== undefined; step = left.pop()) {
    const { isLeft, node } = step
    if (isLeft) done.push(node)
    if (followers.has(node)) continue
    const found = next(node)
    followers.set(node, found)
    left.push({ node, isLeft: true })
    for (const follower of found) {
      const known = before.get(follower)
      if (known === undefined) before.set(follower, [node])
      else known.push(node)
      if (!followers.has(follower)) left.push({ node: follower, isLeft: false })
    }
  }
  const components = new Map<N, number>()
  for (const root of done.toReversed()) {
    const members = components.has(root) ? [] : [root]
    const number = components.size
    for (let node = members.pop(); node !== undefined; node = members.pop()) {
      components.set(node, number)
      for (const other of before.get(node) ?? []) if (!components.has(other)) members.push(other)
    }
  }
  return components
}

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
