import * as Effect from "effect/Effect"
import type { InputInvalid } from "../../errors/errors.ts"
import { withoutAbsent } from "../absent.ts"
import { inDialect, resolve } from "../jsonSchema.ts"
import { invalid } from "../Model.ts"
import { parsed } from "../parsed.ts"
import type { Format, Protocol } from "../Protocol.ts"
import { type AnySchema, type Checked, describe } from "../schema.ts"
import { type Event, object } from "../../events/Event.ts"

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

export const formatOf = (
  operation: string,
  { dialect }: Protocol,
  schema: AnySchema,
  { jsonSchema: given, name = "answer" }: FormatOptions
): Effect.Effect<ObjectFormat, InputInvalid> =>
  Effect.try({
    try: () => describe(schema, given),
    catch: (cause) => invalid(operation, `The schema cannot be written as JSON Schema: ${String(cause)}`)
  }).pipe(
    Effect.flatMap(({ check, jsonSchema }) => {
      if (jsonSchema === undefined) {
        return Effect.fail(invalid(operation, "This schema has no JSON Schema: pass one as `jsonSchema`"))
      }
      const whole = rooted(jsonSchema)
      const isObject = whole["type"] === "object"
      const root = isObject ? whole : wrapped(whole)
      const { isExact, schema } = inDialect(root, dialect)
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
      return Effect.succeed({ format: { name, schema: isExact ? schema : root, isStrict: isExact }, read })
    })
  )
