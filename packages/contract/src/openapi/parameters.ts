import * as Schema from "effect/Schema"
import * as Headers from "../Headers.ts"
import type { Names } from "../Names.ts"
import { type Bound, isQuotable, type ParameterPending } from "../Operation.ts"
import { familyOf } from "../errors/families.ts"
import { isShared } from "../operations/modelGet.ts"
import { formatShare } from "../price/Amount.ts"
import type { CacheTerms } from "../price/contracts.ts"
import type { Multiplier } from "../price/Price.ts"
import { modelList } from "../operations/modelList.ts"
import type { Components, Field } from "./components.ts"
import { isCacheable } from "./headers.ts"
import { aboutOtherParameters, takesOtherParameters, vendorQuery } from "../otherParameters.ts"
import type { QueryStyle, QueryStyles } from "../QueryStyle.ts"
import type { Json } from "./jsonSchema.ts"

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly schema: unknown
  readonly description?: string
  readonly [field: string]: unknown
}

/** A header that belongs to no single operation, so that a client has an option for it, not an argument. */
const header = (name: string, description: string, schema: unknown = { type: "string" }): Parameter => ({
  name,
  in: "header",
  required: false,
  description,
  "x-option": true,
  schema
})

const billedHeaders = (names: Names): ReadonlyArray<Parameter> => [
  header(Headers.costMode(names), "`quote`: return the price without executing the call.", {
    type: "string",
    enum: ["quote"]
  }),
  header(Headers.maxPrice(names), "The most this call may cost, in decimal USD.", {
    type: "string",
    pattern: "^\\d+(\\.\\d+)?$"
  }),
  header(Headers.idempotencyKey, "Send the same key when retrying a call: 1 to 255 characters, in quotes or without.", {
    type: "string",
    pattern: '^("[ !#-~]{1,255}"|[!#-~][ !#-~]{0,254})$'
  }),
  header(
    Headers.idempotencyMode(names),
    "Of a completed call with this key, `replay` returns the stored answer, and `refuse`, the default unless the operator changed it, 409. `charge` tells what the call of this key was charged, and `cancel` ends it first; both execute nothing.",
    { type: "string", enum: ["replay", "refuse", "charge", "cancel"] }
  ),
  header(
    Headers.tags(names),
    "Tags of the call, for usage reports, such as `team=search,job=nightly`: up to 8. They are not sent on."
  )
]

/** A parameter that the operator gave a name. */
const boundParameter = ({ pending }: Bound, role: string, name: string): Parameter => {
  const isRole = (part: (typeof pending)[number]): part is ParameterPending =>
    part.open === "parameter" && part.role === role
  const { description = "", type = "string" } = pending.find(isRole) ?? {}
  return {
    name,
    in: "query",
    required: false,
    description: `Bound by the operator: ${role}. ${description}`.trim(),
    "x-role": role,
    schema: { type }
  }
}

/** A parameter that a schema declares. Its description stands where a reader of OpenAPI looks for it. */
const declared = (place: Parameter["in"], { name, required, schema }: Field): Parameter => {
  const { description, ...rest } = schema as Json
  return typeof description === "string"
    ? { name, in: place, required, description, schema: rest }
    : { name, in: place, required, schema }
}

/** Parameters of a vendor's format that the operation's own description leaves out. */
const vendorParameters = (operation: Bound): ReadonlyArray<Parameter> => {
  const { id } = operation
  if (isShared(id)) {
    const what = id === modelList.id ? "Lists the models" : "Answers"
    return [
      header("anthropic-version", `${what} in Anthropic's format.`),
      ...vendorQuery(operation).map((query): Parameter => ({ in: "query", required: false, ...query }))
    ]
  }
  const { versionHeader } = familyOf(operation)
  return versionHeader === undefined ? [] : [header(versionHeader, "Sent on to the upstream.")]
}

/** The serialized form has no name of its own: each of its fields is a parameter. */
const others = (description: string): Parameter => ({
  name: "others",
  in: "query",
  required: false,
  description,
  "x-others": true,
  style: "form",
  explode: true,
  schema: { type: "object", additionalProperties: { type: "string" } }
})

const written: Readonly<Record<QueryStyle, Json>> = {
  repeat: { style: "form", explode: true },
  spaces: { style: "spaceDelimited", explode: false },
  pipes: { style: "pipeDelimited", explode: false },
  brackets: { style: "deepObject", explode: true }
}

/** A list without a style of its own is one text with commas. */
const styled = (parameter: Parameter, styles: QueryStyles): Parameter => {
  const style = Object.hasOwn(styles, parameter.name) ? styles[parameter.name] : undefined
  if (style !== undefined) return { ...parameter, ...written[style] }
  return (parameter.schema as Json).type === "array" ? { ...parameter, style: "form", explode: false } : parameter
}

/** Without the form for others, the gateway answers those with 400. */
const queryParameters = (operation: Bound, components: Components): ReadonlyArray<Parameter> => {
  const { query, styles = {} } = operation.request
  const fields = query === undefined ? [] : components.fields(Schema.toType(query))
  return [
    ...fields.map((field) => styled(declared("query", field), styles)),
    ...(takesOtherParameters(operation) ? [others(aboutOtherParameters(operation))] : [])
  ]
}

const pathParameters = ({ request: { path } }: Bound, components: Components): ReadonlyArray<Parameter> =>
  path === undefined
    ? []
    : components.fields(Schema.toType(path)).map((field) => declared("path", { ...field, required: true }))

const headerParameters = ({ request: { header } }: Bound, components: Components): ReadonlyArray<Parameter> =>
  header === undefined ? [] : components.fields(Schema.toType(header)).map((field) => declared("header", field))

const percent = (share: Multiplier): string => formatShare(share * 100n)

const keptHeader = (names: Names, { seconds, share }: CacheTerms): Parameter =>
  header(
    Headers.cache(names),
    "`use`: a kept answer to the same request of this account, if there is one, or else the call is executed and its answer kept. " +
      "`use; max-age=60`: not an older one. `refresh`: execute the call and keep its answer anew. " +
      `Answers are kept for ${seconds} seconds; a kept one ` +
      (share === 0n ? "is free." : `costs ${percent(share)} % of the call's price.`),
    { type: "string", pattern: "^(use(; max-age=\\d{1,10})?|refresh)$" }
  )

const resumeHeaders = (names: Names): ReadonlyArray<Parameter> => [
  header(
    Headers.resumable(names),
    "`true`, with an idempotency key: the stream goes on for a while if the connection breaks. The same request then resumes it, and is not charged.",
    { type: "string", enum: ["true"] }
  ),
  header(Headers.lastEventId, "The id of the last event that arrived of the stream that is resumed.", {
    type: "string",
    pattern: "^\\d{1,9}$"
  })
]

export const parameters = (operation: Bound, components: Components): ReadonlyArray<Parameter> => [
  ...pathParameters(operation, components),
  ...Object.entries(operation.parameters).map(([role, name]) => boundParameter(operation, role, name)),
  ...queryParameters(operation, components),
  ...headerParameters(operation, components),
  ...Object.entries(operation.request.headers ?? {}).map(([name, value]): Parameter => ({
    name,
    in: "header",
    required: true,
    schema: { type: "string", enum: [value] }
  })),
  ...vendorParameters(operation),
  ...(isCacheable(operation) ? [header("If-None-Match", "The ETag of what the caller has.")] : []),
  ...(isQuotable(operation) ? billedHeaders(operation.names) : []),
  ...(isQuotable(operation) && operation.event !== undefined ? resumeHeaders(operation.names) : []),
  ...(operation.kept === undefined ? [] : [keptHeader(operation.names, operation.kept)])
]
