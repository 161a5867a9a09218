import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import { type Event, object } from "../events/Event.ts"

/** An Effect Schema without services, or a schema of any library that implements Standard Schema. */
export type AnySchema = Schema.ConstraintDecoder<unknown> | StandardSchemaV1

/** The type of a validated value. */
export type TypeOf<S extends AnySchema> = S extends Schema.Constraint
  ? S["Type"]
  : S extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<S>
    : never

/** Why a value does not match the schema. */
export interface Issue {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

export type Checked = { readonly value: unknown } | { readonly issues: ReadonlyArray<Issue> }

/** A schema that can be sent, and that checks what comes back. */
export interface Described {
  /** Undefined if the library cannot write it. */
  readonly jsonSchema: Event | undefined
  readonly check: (value: unknown) => Effect.Effect<Checked>
}

const issueOf = ({ message, path = [] }: StandardSchemaV1.Issue): Issue => ({
  message,
  path: path.map((segment) => (typeof segment === "object" ? segment.key : segment))
})

const checkWith =
  ({ "~standard": { validate } }: StandardSchemaV1): Described["check"] =>
  (value) =>
    Effect.match(Effect.tryPromise({ try: async () => validate(value), catch: (cause) => cause }), {
      onSuccess: (result) =>
        result.issues === undefined ? { value: result.value } : { issues: result.issues.map(issueOf) },
      // The answer is paid for, so that what a schema throws must not lose it.
      onFailure: (cause): Checked => ({ issues: [{ path: [], message: String(cause) }] })
    })

/** ArkType writes `{}` for what JSON cannot hold, such as a date. No answer would ever match, and each is paid for. */
const arktype = {
  fallback: ({ base, code }: { readonly base: object; readonly code: string }) => {
    if (Object.keys(base).length === 0) throw new Error(`JSON has no values of this kind (${code})`)
    return base
  }
}

const writtenBy = ({ "~standard": standard }: StandardSchemaV1): Event | undefined => {
  const { input } = object("jsonSchema" in standard ? standard.jsonSchema : undefined)
  if (typeof input !== "function") return undefined
  return object(
    input({ target: "draft-2020-12", ...(standard.vendor === "arktype" ? { libraryOptions: arktype } : {}) })
  )
}

const ofEffect = (schema: Schema.ConstraintDecoder<unknown>): Described => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { generateDescriptions: true })
  return {
    jsonSchema: { ...root, ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }) },
    check: checkWith(Schema.toStandardSchemaV1(Schema.toCodecJson(schema)))
  }
}

const isEffectSchema = (schema: AnySchema): schema is Schema.ConstraintDecoder<unknown> => Schema.isSchema(schema)

/** May throw if the schema has parts that JSON Schema cannot express. */
export const describe = (schema: AnySchema, jsonSchema: Event | undefined): Described => {
  const described = isEffectSchema(schema)
    ? ofEffect(schema)
    : { jsonSchema: jsonSchema ?? writtenBy(schema), check: checkWith(schema) }
  return jsonSchema === undefined ? described : { ...described, jsonSchema }
}

/** One line for each issue, for messages. */
export const issueLines = (issues: ReadonlyArray<Issue>): string =>
  issues
    .slice(0, 20)
    .map(({ message, path }) => (path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`))
    .join("\n")

/** The JSON value of a text; the text itself if it is none. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
