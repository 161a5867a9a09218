import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { encodeLast } from "@tollgate/contract/errors/encode"
import { familyOf } from "@tollgate/contract/errors/families"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import type { Routed } from "../../exchange/Exchange.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { StreamedAnswer, StreamMeter } from "../../upstream/Protocol.ts"

/** Why a stream broke before its last event. */
export type Break = NotCarried["why"] | "ended early"

export const refusedOf = (why: Break, { operation }: Routed, { eventBytes }: StreamedAnswer): Refused => {
  const status = operation.upstream === "managed" ? 503 : 502
  switch (why) {
    case "timeout":
      return refuse("upstream_timeout", "The upstream stopped sending before the end of its answer.", { status })
    case "too large":
      return refuse("upstream_failed", `The upstream sent an event of more than ${eventBytes} bytes.`, { status })
    case "ended early":
      return refuse("upstream_failed", "The upstream ended its answer before the last event.", { status })
    case "broken":
    case "not sent":
      return refuse("upstream_failed", "The connection to the upstream broke before the end of its answer.", { status })
  }
}

export const isEvents = /^text\/event-stream\b/i
const isJson = /^application\/json\b/i
const blankLine = Utf8.encode("\n\n")

const bodyOf = ({ operation, requestId }: Routed, { refusal }: Refused, meter: StreamMeter): string => {
  const error = { ...refusal, requestId }
  return JSON.stringify(meter.errorEvent?.(error) ?? encodeLast(operation.family, error))
}

/**
 * The last bytes of a stream that broke: the error, as an event of the family or as the last item of an array. `undefined`:
 * the format has no place for it. `isFirst`: nothing was sent before. `foreign`: the end of something that is not of the
 * protocol, which the caller gets unchanged.
 */
export const errorEvent = (
  exchange: Routed,
  { contentType = "" }: StreamedAnswer,
  error: Refused,
  isFirst: boolean,
  foreign: Uint8Array,
  meter: StreamMeter
): Uint8Array | undefined => {
  const family = familyOf(exchange.operation)
  if (isEvents.test(contentType)) {
    const name = meter.errorEvent === undefined ? family.errorEvent : "error"
    const named = name === undefined ? "" : `event: ${name}\n`
    const event = Utf8.encode(`${named}data: ${bodyOf(exchange, error, meter)}\n\n`)
    return foreign.length === 0 ? event : Bytes.concat([foreign, blankLine, event])
  }
  if (foreign.length > 0) return foreign
  return family.streamsArray && isJson.test(contentType)
    ? Utf8.encode(`${isFirst ? "[" : ","}${bodyOf(exchange, error, meter)}]`)
    : undefined
}
