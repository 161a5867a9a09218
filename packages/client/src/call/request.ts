import { editDistance } from "@tollgate/contract/editDistance"
import { oncePer } from "@tollgate/contract/oncePer"
import { isByModel, type Price } from "@tollgate/contract/price/Price"
import { object } from "../events/Event.ts"
import * as Address from "@tollgate/contract/Address"
import { optionHeaders } from "../options/names.ts"
import { type Operation, parts, split } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import type { Incoming, Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { inputInvalid, InputInvalid } from "../errors/errors.ts"
import type { Invocation } from "./Invocation.ts"
import type { Hide } from "../credential/hideCredential.ts"

const plain = (name: string): string => name.replaceAll("_", "").toLowerCase()

/** The first letters must be right, because some models have a field `min_tokens`. */
const isNear = (given: string, name: string): boolean =>
  given.slice(0, 2) === name.slice(0, 2) && editDistance(plain(given), plain(name)) < 3

/** Of the path to a limit, such as `generationConfig.maxOutputTokens`. A body may contain itself. */
const mostLevels = 2

/**
 * Why a body is refused whose limit of the output is misspelt: a model would ignore the field and write, for money, as much as
 * it can. Other unknown fields pass, because models have fields that the interface does not define.
 */
const misspelt = (price: Price, body: unknown, levels = mostLevels): string | undefined => {
  if (!isByModel(price) || levels === 0) return undefined
  const fields = object(body)
  const known = price.outputLimit.flat()
  for (const given in fields) {
    const meant = known.find((name) => isNear(given, name))
    if (meant === undefined) continue
    if (!known.includes(given)) return `${given}: did you mean ${meant}? The option \`extra\` sends it as it is`
    const within = misspelt(price, fields[given], levels - 1)
    if (within !== undefined) return within
  }
  return undefined
}

const encoderOf = /* @__PURE__ */ oncePer((schema: Schema.Constraint) =>
  Schema.encodeUnknownResult(schema as Schema.ConstraintEncoder<unknown>)
)

/** Runs what reads a caller's value, which may contain itself, be too deep for the stack, or throw while it is read. */
export const readInput = <A, E>(
  operation: string,
  read: () => Effect.Effect<A, E>
): Effect.Effect<A, E | InputInvalid> => {
  try {
    return read()
  } catch (cause) {
    const message = "The input cannot be written as JSON"
    return Effect.fail(new InputInvalid({ operation, message, outcome: "not executed", cause }))
  }
}

/** Wraps a request as it is sent. `hide` replaces the credential in a text. */
export type Around = <E>(
  request: Effect.Effect<Incoming, E>,
  sent: { readonly body: Uint8Array | undefined; readonly hide: Hide }
) => Effect.Effect<Incoming, E>

/** A request ready to be sent, without the credential. */
export interface Written extends Pick<Outgoing, "method" | "path" | "headers" | "body" | "keepalive"> {
  /** Wraps the transport, if an observer wants it. */
  readonly around?: Around | undefined
}

/** What a header's name and value may contain. Anything else would fail in the transport. */
export const isHeader = ([name, value]: readonly [string, string]): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

/** The JSON of a value. Throws if it has none, like a function. */
const jsonOf = (value: unknown): string => {
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) throw new TypeError()
  return text
}

const queryOf = (extra: Readonly<Record<string, unknown>>): Record<string, string> => {
  const query: Record<string, string> = {}
  for (const [name, value] of Object.entries(extra)) {
    if (value === undefined) continue
    query[name] = typeof value === "string" ? value : jsonOf(value)
  }
  return query
}

/** Writes the whole numbers of pending parameters as text: the schema does not know their names. */
const withTexts = ({ pending }: Operation, query: unknown): unknown =>
  pending.reduce((query, part) => {
    const value = part.open === "parameter" ? object(query)[part.role] : undefined
    return part.open === "parameter" && Number.isSafeInteger(value)
      ? { ...object(query), [part.role]: String(value) }
      : query
  }, query)

/** The headers that the program sets: the client's, and those of the call. */
const ownHeaders = ({ client, settings }: Invocation): Record<string, string> =>
  lowerCase({ ...client.headers, ...settings.headers, ...optionHeaders(client.names, settings) })

/** May throw what reading the input throws. */
const written = (
  invocation: Invocation,
  input: unknown,
  headers: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>>
): Effect.Effect<Written, InputInvalid> => {
  const { client, operation, settings } = invocation
  const refuse = (message: string) => Effect.fail(inputInvalid(operation.id, message))
  if (typeof (input ?? {}) !== "object") return refuse("The input must be an object")
  const given = split(operation, input)
  const wrong = misspelt(operation.price, given.body)
  if (wrong !== undefined) return refuse(wrong)
  const styled = operation.splitQuery?.(given.query)
  const encoded: Partial<Record<(typeof parts)[number], unknown>> = {}
  for (const part of parts) {
    const schema = operation.request[part]
    if (schema === undefined) continue
    const value =
      part === "query" ? withTexts(operation, styled === undefined ? given.query : styled.rest) : given[part]
    const result = encoderOf(schema)(value ?? {})
    if (Result.isFailure(result)) return refuse(result.failure.message.replace(/\n\s+/g, " "))
    encoded[part] = result.success
  }
  const inPath = (encoded.path ?? {}) as Readonly<Record<string, string>>
  const unfit = Address.unfit(inPath)
  if (unfit !== undefined) return refuse(`${unfit}: this value cannot stand in a path`)
  const parameters = Address.named(operation, (encoded.query ?? {}) as Readonly<Record<string, string>>)
  const { extra } = settings
  const inBody = given.body === undefined && operation.writeBody !== undefined ? undefined : encoded.body
  const full = extra === undefined || inBody === undefined ? inBody : { ...extra, ...inBody }
  const upload = full === undefined ? undefined : operation.writeBody?.(full)
  if (upload !== undefined && Result.isFailure(upload)) return refuse(upload.failure)
  const added = extra === undefined || full !== undefined ? {} : queryOf(extra)
  const body = upload?.success.bytes ?? (full === undefined ? undefined : Utf8.encode(jsonOf(full)))
  const own = { ...ownHeaders(invocation), ...(encoded.header as Readonly<Record<string, string>> | undefined) }
  for (const name in own) {
    if (!isHeader([name, own[name] ?? ""])) return refuse(`${name}: this header cannot be sent`)
  }
  return Effect.succeed({
    method: operation.method,
    path:
      client.path +
      Address.path(operation, inPath) +
      Address.query({ ...added, ...parameters, ...query }, styled?.pairs),
    headers: {
      ...own,
      accept: operation.contentType,
      ...(body === undefined ? {} : { "content-type": upload?.success.contentType ?? "application/json" }),
      ...(operation.request.headers && lowerCase(operation.request.headers)),
      ...headers
    },
    body
  })
}

/** Encodes the input. `headers`, in lower case, and `query` are added to what the input and the program set. */
export const write = (
  invocation: Invocation,
  input: unknown,
  headers: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string>> = {}
): Effect.Effect<Written, InputInvalid> =>
  readInput(invocation.operation.id, () => written(invocation, input, headers, query))

export const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const lower: Record<string, string> = {}
  for (const name in headers) lower[name.toLowerCase()] = headers[name] ?? ""
  return lower
}
