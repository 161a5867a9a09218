import type { Head, Incoming, Outgoing } from "@tollgate/contract/carrier/Carrier"
import { costsNothing } from "@tollgate/contract/errors/codes"
import { encode } from "@tollgate/contract/errors/encode"
import type { Refusal } from "@tollgate/contract/errors/Refused"
import * as Headers from "@tollgate/contract/Headers"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ReceivedCall } from "./Call.ts"
import { type Bound, parts } from "@tollgate/contract/Operation"
import * as Schema from "effect/Schema"

/** An answer before it is delivered. */
export interface TextAnswer extends Head {
  readonly body: string
}

export const json = { "content-type": "application/json" }

const lowerCase = (headers: Head["headers"]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const costOf = ({ names }: ReceivedCall["bound"], { micros, state }: Charge): Record<string, string> =>
  state === "unknown"
    ? {}
    : {
        [Headers.costState(names)]: state,
        ...(micros === undefined ? {} : { [Headers.cost(names)]: String(micros) })
      }

/** Adds the headers that the gateway sets on every answer. */
export const withGatewayHeaders = (
  { bound, requestId }: ReceivedCall,
  { headers, ...answer }: TextAnswer,
  charge: Charge
): TextAnswer => ({
  ...answer,
  headers: lowerCase({ ...headers, ...costOf(bound, charge), [Headers.requestId]: requestId })
})

export const refusal = (
  { bound, requestId }: ReceivedCall,
  refused: Refusal,
  more: Head["headers"] = {}
): TextAnswer => {
  const { body, headers, status } = encode(bound.family, { ...refused, requestId })
  const cost = costsNothing(refused.code) ? costOf(bound, { state: "none" }) : {}
  return { status, headers: lowerCase({ ...json, ...headers, ...cost, ...more }), body: JSON.stringify(body) }
}

/** As a stream if the caller reads one, otherwise as a whole. */
export const deliver = (
  outgoing: Outgoing,
  { body, ...head }: Head & { readonly body: string | Exclude<Incoming["body"], Uint8Array> }
): Effect.Effect<Incoming, Stream.Error<Exclude<Incoming["body"], Uint8Array>>> => {
  if (typeof body !== "string" && outgoing.isStreamed(head)) return Effect.succeed({ ...head, body })
  const text =
    typeof body === "string"
      ? Effect.succeed(body)
      : Effect.map(Stream.runCollect(body), (pieces) => pieces.map(Utf8.decode).join(""))
  return Effect.map(text, (whole) => ({ ...head, body: Utf8.encode(whole) }))
}

type Parameters = Readonly<Record<string, string>>

const escape = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const pathIn = ({ path }: Bound, requested: string): Parameters | undefined => {
  const names: Array<string> = []
  const source = path
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith("{") ? (names.push(part.slice(1, -1)), "([^/]+?)") : escape(part)))
    .join("")
  const values = new RegExp(`^${source}$`).exec(requested)
  if (values === null) return undefined
  return Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(values[i + 1] ?? "")]))
}

const queryIn = (query: string): Parameters =>
  Object.fromEntries(
    query
      .split("&")
      .filter((pair) => pair !== "")
      .map((pair) => pair.split("=", 2).map(decodeURIComponent) as [string, string])
  )

const decode = (schema: Schema.Constraint, value: unknown): unknown =>
  Schema.decodeUnknownSync(schema as Schema.ConstraintDecoder<unknown>)(value)

interface Routed {
  readonly bound: Bound
  /** The caller's input. */
  readonly input: unknown
  readonly body: unknown
}

/** Finds the operation of a request and decodes its input. */
export const route = (operations: Iterable<Bound>, { body, headers, method, path }: Outgoing): Routed | undefined => {
  const at = path.indexOf("?")
  const [pathname, query] = at === -1 ? [path, ""] : [path.slice(0, at), path.slice(at + 1)]
  for (const bound of operations) {
    const inPath = bound.method === method ? pathIn(bound, pathname) : undefined
    if (inPath === undefined) continue
    const json: unknown = body === undefined ? undefined : JSON.parse(Utf8.decode(body))
    const wire = { path: inPath, query: queryIn(query), header: headers, body: json }
    const present = parts.filter((part) => bound.request[part] !== undefined)
    const decoded = Object.fromEntries(
      present.map((part) => [part, decode(bound.request[part] as Schema.Constraint, wire[part])])
    )
    return { bound, body: json, input: present.length > 1 ? decoded : decoded[present[0] ?? ""] }
  }
  return undefined
}
