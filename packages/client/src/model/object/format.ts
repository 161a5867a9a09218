import * as Effect from "effect/Effect"
import type { InputInvalid } from "../../errors/errors.ts"
import { inDialect, resolve } from "../jsonSchema.ts"
import { invalid } from "../Model.ts"
import { parsed, type AnySchema, type Checked, describe } from "../schema.ts"
import type { Format, Protocol } from "../Protocol.ts"
import { type Event, object, list } from "../../events/Event.ts"
import * as Predicate from "effect/Predicate"

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
const withoutAbsent = (root: Event, value: unknown, schema: unknown = root, depth = 0): unknown => {
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

/** How an object is requested and read. */
interface ObjectFormat {
  readonly format: Format
  readonly read: (text: string) => Effect.Effect<Checked>
}

interface FormatOptions {
  readonly name?: string
  readonly jsonSchema?: Readonly<Record<string, unknown>>
}

/** Some models wrap JSON into a code block. */
const withoutFence = (text: string): string => /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/i.exec(text)?.[1] ?? text

/** The root itself instead of a reference to it. */
const rooted = ({ $schema: _, ...root }: Event): Event => {
  const { $ref, ...rest } = root
  return $ref === undefined || $ref === "#" ? root : { ...resolve(root, root), ...rest }
}

/** Protocols require an object, so that any other value becomes the property of one. */
const wrapped = ({ $defs, definitions, ...schema }: Event): Event => ({
  type: "object",
  properties: { value: schema },
  required: ["value"],
  ...($defs === undefined ? {} : { $defs }),
  ...(definitions === undefined ? {} : { definitions })
})

const withoutJsonSchema = (schema: AnySchema): string =>
  object(object(schema)["~standard"])["vendor"] === "valibot"
    ? "A schema of valibot has no JSON Schema: pass `toStandardJsonSchema(schema)` of @valibot/to-json-schema"
    : "This schema has no JSON Schema: pass one as `jsonSchema`"

export const formatOf = (
  operation: string,
  { dialect }: Protocol,
  schema: AnySchema,
  { jsonSchema: given, name = "answer" }: FormatOptions
): Effect.Effect<ObjectFormat, InputInvalid> =>
  Effect.try({
    try: () => {
      const { check, jsonSchema } = describe(schema, given)
      if (jsonSchema === undefined) return undefined
      const whole = rooted(jsonSchema)
      const isObject = whole["type"] === "object"
      const root = isObject ? whole : wrapped(whole)
      return { check, isObject, root, ...inDialect(root, dialect) }
    },
    catch: (cause) => invalid(operation, `The schema cannot be written as JSON Schema: ${String(cause)}`)
  }).pipe(
    Effect.flatMap((described) => {
      if (described === undefined) return Effect.fail(invalid(operation, withoutJsonSchema(schema)))
      const { check, isExact, isObject, root, schema: written } = described
      if (!isExact && dialect.objects === "closed" && dialect.required === "as given") {
        return Effect.fail(
          invalid(operation, "This protocol cannot express the schema: objects with any keys, tuples and intersections")
        )
      }
      const read = (text: string): Effect.Effect<Checked> => {
        const value = parsed(withoutFence(text))
        if (typeof value === "string") return Effect.succeed({ issues: [{ path: [], message: "This is not JSON" }] })
        const complete = isExact && dialect.required === "all" ? withoutAbsent(root, value) : value
        return check(isObject ? complete : object(complete)["value"])
      }
      return Effect.succeed({ format: { name, schema: isExact ? written : root, isStrict: isExact }, read })
    })
  )
