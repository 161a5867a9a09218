import * as Address from "@tollgate/contract/Address"
import { scenarioHeader } from "./scenarioHeader.ts"
import { type Operation, parts, split } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import type { Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Schema from "effect/Schema"
import { inputInvalid } from "./inputInvalid.ts"
import type { Invocation } from "./Invocation.ts"
import { object } from "./stream/Event.ts"

type Encoder = (value: unknown) => Effect.Effect<unknown, Schema.SchemaError>

const encoders = new WeakMap<Schema.Constraint, Encoder>()

const encoderOf = (schema: Schema.Constraint): Encoder => {
  const known = encoders.get(schema)
  if (known !== undefined) return known
  const made = Schema.encodeUnknownEffect(schema as Schema.ConstraintEncoder<unknown>)
  encoders.set(schema, made)
  return made
}

const invalid = ({ id }: Operation, message: string) => inputInvalid(id, message)

const encodePart = (operation: Operation, schema: Schema.Constraint, value: unknown) =>
  Effect.mapError(encoderOf(schema)(value), (error) => invalid(operation, error.message.replace(/\n */g, " ")))

const encodeJson = (operation: Operation, value: unknown) =>
  Effect.try({
    try: () => JSON.stringify(value),
    catch: () => invalid(operation, "The input cannot be written as JSON")
  })

/** A request ready to be sent, without the credential. */
export type Written = Pick<Outgoing, "method" | "path" | "headers" | "body">

/** What a header's name and value may contain. Anything else would fail in the transport. */
export const isHeader = ([name, value]: readonly [string, string]): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

const encodeQuery = Effect.fnUntraced(function* (operation: Operation, extra: Readonly<Record<string, unknown>>) {
  const query: Record<string, string> = {}
  for (const [name, value] of Object.entries(extra)) {
    if (value !== undefined) query[name] = typeof value === "string" ? value : yield* encodeJson(operation, value)
  }
  return query
})

/** Writes the whole numbers of pending parameters as text: the schema does not know their names. */
const withTexts = ({ pending }: Operation, query: unknown): unknown =>
  pending.reduce((query, part) => {
    const value = part.open === "parameter" ? object(query)[part.role] : undefined
    return part.open === "parameter" && Number.isSafeInteger(value)
      ? { ...object(query), [part.role]: String(value) }
      : query
  }, query)

/** The headers that the program sets: the client's, and those of the call. */
const ownHeaders = ({ client, settings: { headers, scenario } }: Invocation): Record<string, string> =>
  lowerCase(
    headers === undefined && scenario === undefined
      ? client.headers
      : { ...client.headers, ...headers, ...scenarioHeader(client.names, scenario) }
  )

/**
 * Encodes the input as a request. `headers`, under lower-case names, and `query` are added to what the input and the program
 * set.
 */
export const write = Effect.fnUntraced(function* (
  invocation: Invocation,
  input: unknown,
  headers: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string>> = {}
) {
  const { client, operation, settings } = invocation
  const given = split(operation, input)
  const encoded: { path?: unknown; query?: unknown; body?: unknown } = {}
  for (const part of parts) {
    const schema = operation.request[part]
    if (schema === undefined) continue
    const value = part === "query" ? withTexts(operation, given.query) : given[part]
    encoded[part] = yield* encodePart(operation, schema, value ?? {})
  }
  const inPath = (encoded.path ?? {}) as Readonly<Record<string, string>>
  const unfit = Address.unfit(inPath)
  if (unfit !== undefined) return yield* invalid(operation, `${unfit}: this value cannot stand in a path`)
  const parameters = Address.named(operation, (encoded.query ?? {}) as Readonly<Record<string, string>>)
  const { extra } = settings
  const full = extra === undefined || encoded.body === undefined ? encoded.body : { ...extra, ...encoded.body }
  const body = full === undefined ? undefined : Utf8.encode(yield* encodeJson(operation, full))
  const added = extra === undefined || full !== undefined ? {} : yield* encodeQuery(operation, extra)
  const own = ownHeaders(invocation)
  for (const name in own) {
    if (!isHeader([name, own[name] ?? ""])) return yield* invalid(operation, `${name}: this header cannot be sent`)
  }
  return {
    method: operation.method,
    path: client.path + Address.path(operation, inPath) + Address.query({ ...added, ...parameters, ...query }),
    headers: {
      ...own,
      accept: operation.contentType,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(operation.request.headers && lowerCase(operation.request.headers)),
      ...headers
    },
    body
  } satisfies Written as Written
})

export const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const lower: Record<string, string> = {}
  for (const name in headers) lower[name.toLowerCase()] = headers[name] ?? ""
  return lower
}
