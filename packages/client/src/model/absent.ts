import * as Predicate from "effect/Predicate"
import { type Event, list, object } from "../events/Event.ts"
import { resolve } from "./jsonSchema.ts"

const admitsNull = (root: Event, schema: unknown, depth: number): boolean => {
  if (depth > 32) return false
  const { anyOf, const: only, enum: values, oneOf, type } = resolve(root, schema)
  const isUntyped = [type, anyOf, oneOf, values].every((given) => given === undefined) && only === undefined
  return (
    isUntyped ||
    only === null ||
    [type, values].flat().some((one) => one === "null" || one === null) ||
    [...list(anyOf), ...list(oneOf)].some((branch) => admitsNull(root, branch, depth + 1))
  )
}

/**
 * Leaves out properties that are null where the schema allows them to be missing, but not to be null: a protocol that
 * requires all properties cannot tell the two apart.
 */
export const withoutAbsent = (root: Event, value: unknown, schema: unknown = root, depth = 0): unknown => {
  if (!Predicate.isObjectOrArray(value) || depth > 64) return value
  const { allOf, anyOf, items, oneOf, properties, required } = resolve(root, schema)
  const branches = [...list(anyOf), ...list(oneOf), ...list(allOf)]
  const seen = branches.reduce<unknown>((inner, branch) => withoutAbsent(root, inner, branch, depth + 1), value)
  if (Array.isArray(seen)) {
    return items === undefined ? seen : seen.map((item) => withoutAbsent(root, item, items, depth + 1))
  }
  const known = object(properties)
  const needed = new Set(Array.isArray(required) ? required : [])
  const isAbsent = (name: string, inner: unknown) =>
    inner === null && name in known && !needed.has(name) && !admitsNull(root, known[name], 0)
  return Object.fromEntries(
    Object.entries(object(seen)).flatMap(([name, inner]) =>
      isAbsent(name, inner)
        ? []
        : [[name, name in known ? withoutAbsent(root, inner, known[name], depth + 1) : inner] as const]
    )
  )
}
