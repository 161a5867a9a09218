import type { Head, Incoming, Outgoing } from "@tollgate/contract/carrier/Carrier"
import { costsNothing } from "@tollgate/contract/errors/codes"
import { encode } from "@tollgate/contract/errors/encode"
import type { Refusal } from "@tollgate/contract/errors/Refused"
import * as Headers from "@tollgate/contract/Headers"
import { type Bound, parts } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ReceivedCall } from "./Call.ts"

/** An answer before it is delivered. */
export interface TextAnswer extends Head {
  readonly body: string
}

export const json = { "content-type": "application/json" }

const lowerCase = (headers: Head["headers"]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const costOf = ({ names }: Bound, { micros, state }: Charge): Record<string, string> =>
  state === "unknown"
    ? {}
    : {
        [Headers.costState(names)]: state,
        ...(micros === undefined ? {} : { [Headers.cost(names)]: String(micros) })
      }

/** Adds the headers that the gateway sets on every answer. */
export const withGatewayHeaders = <A extends Head>(
  { bound, requestId }: ReceivedCall,
  { headers, ...answer }: A,
  charge: Charge
) => ({ ...answer, headers: lowerCase({ ...headers, ...costOf(bound, charge), [Headers.requestId]: requestId }) })

export const refusal = (
  { bound, requestId }: ReceivedCall,
  refused: Refusal,
  more: Head["headers"] = {}
): TextAnswer => {
  const { body, headers, status } = encode(bound.family, { ...refused, requestId })
  const cost = costsNothing(refused.code) ? costOf(bound, { state: "none" }) : {}
  return { status, headers: lowerCase({ ...json, ...headers, ...cost, ...more }), body: JSON.stringify(body) }
}

type Body = Incoming["body"]

/** A stream as it is if the caller reads one, otherwise as a whole. */
export const deliver = (outgoing: Outgoing, { body, ...head }: Head & { readonly body: string | Body }) => {
  if (typeof body === "string") return Effect.succeed({ ...head, body: Utf8.encode(body) })
  if (body instanceof Uint8Array || outgoing.isStreamed(head)) return Effect.succeed({ ...head, body })
  return Effect.map(Stream.mkUint8Array(body), (body) => ({ ...head, body }))
}

type Parameters = Readonly<Record<string, string>>

const pathIn = ({ path }: Bound, requested: string): Parameters | undefined => {
  const pattern = path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+?)")
  const match = new RegExp(`^${pattern}$`).exec(requested)
  return match === null
    ? undefined
    : Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]))
}

const queryIn = (query: string): Parameters =>
  Object.fromEntries(
    query
      .split("&")
      .filter((pair) => pair !== "")
      .map((pair) => pair.split("=", 2).map(decodeURIComponent) as [string, string])
  )

/** Finds the operation of a request and decodes its input. */
export const route = (operations: Iterable<Bound>, { body, headers, method, path }: Outgoing) => {
  const [pathname = "", query = ""] = path.split("?", 2)
  for (const bound of operations) {
    const inPath = bound.method === method ? pathIn(bound, pathname) : undefined
    if (inPath === undefined) continue
    const json: unknown = body === undefined ? undefined : JSON.parse(Utf8.decode(body))
    const wire = { path: inPath, query: queryIn(query), header: headers, body: json }
    const decoded = parts.flatMap((part) => {
      const schema = bound.request[part] as Schema.ConstraintDecoder<unknown> | undefined
      return schema === undefined ? [] : [[part, Schema.decodeUnknownSync(schema)(wire[part])] as const]
    })
    const input: unknown = decoded.length > 1 ? Object.fromEntries(decoded) : decoded[0]?.[1]
    return { bound, input }
  }
  return undefined
}
