import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { encode } from "@tollgate/contract/errors/encode"
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

/** Tests the content type of a stream. */
export const isEvents = /^text\/event-stream\b/i
const isJson = /^application\/json\b/i
const blankLine = Utf8.encode("\n\n")

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The family's error with the request id: a stream has no headers left to carry it. */
const bodyOf = ({ operation, requestId }: Routed, { refusal }: Refused, meter: StreamMeter): string => {
  const own = meter.errorEvent?.({ ...refusal, requestId })
  if (own !== undefined) return JSON.stringify(own)
  const { body } = encode(operation.family, { ...refusal, requestId })
  if (!isObject(body)) return JSON.stringify(body)
  const { error } = body
  return JSON.stringify(
    operation.family === "openai" && isObject(error)
      ? { ...body, error: { ...error, request_id: requestId } }
      : { ...body, request_id: requestId }
  )
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
  const { family } = exchange.operation
  if (isEvents.test(contentType)) {
    const name = family === "anthropic" || meter.errorEvent !== undefined ? "event: error\n" : ""
    const event = Utf8.encode(`${name}data: ${bodyOf(exchange, error, meter)}\n\n`)
    return foreign.length === 0 ? event : Bytes.concat([foreign, blankLine, event])
  }
  if (foreign.length > 0) return foreign
  return family === "gemini" && isJson.test(contentType)
    ? Utf8.encode(`${isFirst ? "[" : ","}${bodyOf(exchange, error, meter)}]`)
    : undefined
}
