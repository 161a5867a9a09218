import { type NanoUsd, parseUsd } from "@tollgate/contract/Money"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { similarName } from "@tollgate/gateway/endpoint"
import { defaultLimit, maxLimit } from "./ToolCatalogue.ts"
import { invalidAmount, toolError } from "./refusal.ts"
import type { ToolError } from "./shapes.ts"

/** What the texts need of a JSON Schema. */
interface Node {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxLength?: number
}

type Path = ReadonlyArray<string | number>

const missing = "is required"
const formatter = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "MissingKey" ? missing : "")
})

const longestShown = 100

const written = (path: Path): string => path.map((key) => String(key).slice(0, longestShown)).join(".")

const propertyOf = ({ properties }: Node, key: string): Node | undefined =>
  properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined

/** The schema at a path. `undefined`: there is no such field. */
const schemaAt = (schema: Node, path: Path): Node | undefined => {
  let node: Node | undefined = schema
  for (const key of path) node = typeof key === "number" ? node?.items : node && propertyOf(node, key)
  return node
}

const isNullAt = (input: unknown, path: Path): boolean => {
  let value: unknown = input
  for (const key of path) {
    if (typeof value !== "object" || value === null) return false
    value = (value as Readonly<Record<string | number, unknown>>)[key]
  }
  return value === null
}

const invalid = (message: string, what_to_do: string, param: string): ToolError =>
  toolError("invalid_arguments", message, what_to_do, ...(param === "" ? [] : [param]))

const correct = "Correct the input of the tool; tools/list has its schema."

const expected = ({ maxItems, maxLength, maximum, minItems = 0, minimum, type }: Node): string => {
  switch (type) {
    case "object":
      return 'must be a JSON object, such as {"name": "value"}, and not a text.'
    case "array":
      return `must be a JSON array${maxItems === undefined ? "" : ` of ${minItems} to ${maxItems} items`}, and not a text.`
    case "integer":
      return `must be a whole number from ${minimum} to ${maximum}, and not in quotes.`
    case "boolean":
      return "must be true or false, and not in quotes."
    default:
      return `must be a ${String(type)}${maxLength === undefined ? "" : ` of up to ${maxLength} characters`}.`
  }
}

const unknownField = (path: Path, parent: Node): ToolError => {
  const name = written(path)
  const known = Object.keys(parent.properties ?? {})
  const meant = similarName(String(path.at(-1)), known)
  const takesCall = known.includes("arguments")
  const fields = known.length === 0 ? "this tool takes none." : `the fields are ${known.join(", ")}.`
  return invalid(
    `There is no field ${name}; ${meant === undefined ? fields : `did you mean ${meant}?`}`,
    takesCall && meant === undefined ? "The operation's own input goes into arguments." : correct,
    name
  )
}

/** What is wrong with a tool's input, as a model can correct it. Never quotes a value. */
export const inputError = (schema: Node, input: unknown, issue: SchemaIssue.Issue): ToolError => {
  const first = formatter(issue).issues[0]
  const path = (first?.path ?? []).map((part) => {
    const key = typeof part === "object" ? part.key : part
    return typeof key === "number" ? key : String(key)
  })
  const param = written(path)
  if (path.length === 0) return invalid("The input of the tool must be a JSON object.", correct, param)
  if (first?.message === missing) return invalid(`${param}: ${missing}`, correct, param)
  const node = schemaAt(schema, path)
  if (node === undefined) return unknownField(path, schemaAt(schema, path.slice(0, -1)) ?? {})
  if (isNullAt(input, path)) {
    return invalid(`${param}: must not be null.`, `Leave out ${param} if it has no value.`, param)
  }
  return node.type === "number" ? invalidAmount(param) : invalid(`${param}: ${expected(node)}`, correct, param)
}

const options = { onExcessProperty: "error", errors: "first" } as const

export const inputReader = <I extends Schema.ConstraintDecoder<unknown>>(schema: I, jsonSchema: object) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (input: unknown): Result.Result<I["Type"], ToolError> =>
    Result.mapError(decode(input, options), ({ issue }) => inputError(jsonSchema, input, issue))
}

/** A number with more digits may have been rounded when it was read. */
const exactDigits = 15

/** Reads a JSON number of USD exactly. `undefined`: it is negative, has more than nine decimals, or too many digits. */
export const amountOf = (amount: number): NanoUsd | undefined => {
  // A smaller number is written with an exponent.
  const text = Math.abs(amount) < 1e-6 ? amount.toFixed(9) : String(amount)
  const digits = text.replace(".", "").replace(/^0+|0+$/g, "")
  return Number(text) === amount && digits.length <= exactDigits ? Option.getOrUndefined(parseUsd(text)) : undefined
}

// What the tools take. Field descriptions are read by models.

const optional = Schema.optionalKey

/** No operation or category has a longer name. What is longer is refused before it is read. */
export const longestName = 200
const longestKey = 255
const mostCalls = 20
const longestWaitSeconds = 300
const mostFields = 20
const longestField = 200

const name = Schema.String.check(Schema.isMaxLength(longestName))

const max = Schema.Finite.annotate({
  description:
    "The most that this call may cost, in USD, up to nine decimals. Required unless the operation is free. A call that could cost more is refused before anything is spent; a model's answer without a length limit of yours is cut off where the cap ends, and the result has limited_by_cap."
})

export const Fields = Schema.Array(Schema.String.check(Schema.isMaxLength(longestField))).check(
  Schema.isMaxLength(mostFields)
)
export type Fields = typeof Fields.Type

const callFields = {
  operation_id: name.annotate({ description: "From search or get_details." }),
  arguments: optional(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "The operation's input, as get_details describes it."
    })
  ),
  max_price_usd: optional(max),
  idempotency_key: optional(
    Schema.String.check(Schema.isMaxLength(longestKey)).annotate({
      description:
        "Up to 255 characters, new for each new call. When you repeat a call, keep its key and arguments: it is not paid twice."
    })
  ),
  fields: optional(
    Fields.annotate({
      description: "Parts of body to return, such as data.items[].id or items[20:40]. Default: all."
    })
  )
}

export const Call = Schema.Struct(callFields)
export type Call = typeof Call.Type

export const Use = Schema.Struct({
  ...callFields,
  wait_seconds: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: longestWaitSeconds })).annotate({
      description:
        "How long to wait for the end of a task such as a video. Without it the task's id may come back first."
    })
  )
})
export type Use = typeof Use.Type

export const BatchUse = Schema.Struct({
  calls: Schema.Array(Call).check(Schema.isMinLength(1), Schema.isMaxLength(mostCalls)),
  max_total_usd: optional(
    Schema.Finite.annotate({
      description: "The most that all calls together may cost, in USD. Required unless all operations are free."
    })
  )
})
export type BatchUse = typeof BatchUse.Type

export const Search = Schema.Struct({
  query: Schema.String.annotate({
    description:
      "The action and the thing, as the reference of an API would name them, in English. Example: list pull requests of a repository."
  }),
  category: optional(name.annotate({ description: "From list_categories." })),
  limit: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxLimit })).annotate({
      description: `Default: ${defaultLimit}.`
    })
  )
})

export const GetDetails = Schema.Struct({
  operation_id: name,
  fields: optional(
    Schema.Array(Schema.String).annotate({ description: "Arguments to show whole. Of large ones you get an outline." })
  ),
  full: optional(
    Schema.Boolean.annotate({ description: "The whole input schema, all model prices and limits. Long: up to 30 kB." })
  )
})

export const ListCategories = Schema.Struct({
  after: optional(name.annotate({ description: "The last name of the page before." })),
  limit: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })))
})
