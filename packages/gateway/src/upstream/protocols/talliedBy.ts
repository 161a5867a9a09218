import * as Utf8 from "@tollgate/contract/Utf8"
import { isObject, type Json } from "@tollgate/protocols/json"
import type { Decoded } from "../../exchange/Exchange.ts"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import { leftBrace, leftBracket } from "../../internal/jsonScan.ts"
import type { Event } from "../../internal/sse.ts"
import type { Protocol, StreamMeter, StreamReport, Tap } from "../Protocol.ts"
import { type Completion, evidenceOf } from "./evidence.ts"
import { filterEvents, observeItems, type Verdict } from "./filterEvents.ts"
import { isEventStream } from "./message.ts"
import { repeatedEvents } from "./repeatedEvents.ts"
import type { Tally } from "./Tally.ts"

/** From this size on an event is larger than any report. */
const largeBytes = 64 * 1024

const objectIn = (data: string): Json | undefined => {
  if (data.charCodeAt(0) !== leftBrace && !data.trimStart().startsWith("{")) return undefined
  try {
    const event: unknown = JSON.parse(data)
    return isObject(event) ? event : undefined
  } catch {
    return undefined
  }
}

/** The first byte that is neither white space nor part of a byte order mark. */
const firstByte = (chunk: Uint8Array): number | undefined =>
  chunk.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf)

/** Adds up the events of a stream. Each is parsed once, or counted like the one before. */
const meterStream = (tally: Tally, eventBytes?: number, tap?: Tap): StreamMeter => {
  /** All that matters was sent. The rest is half of the last event, or nothing. */
  let isEnough = false
  const parsed = (bytes: Uint8Array, from: number, to: number): Json | undefined => {
    const data = Utf8.decode(bytes.subarray(from, to))
    const event = objectIn(data)
    tally.isLarge = to - from > largeBytes
    if (event !== undefined) tally.add(event)
    else if (tally.endMark !== undefined && data.trim() === tally.endMark) tally.isComplete = true
    if (event !== undefined || !isEnough) tap?.(data, event)
    return event
  }
  const read = tally.hasRepeatedEvents && tap === undefined ? repeatedEvents(tally, parsed) : parsed
  const add = (bytes: Uint8Array, from: number, to: number): Verdict => {
    const event = read(bytes, from, to)
    return event === undefined ? "keep" : tally.verdict(event, bytes, from, to)
  }
  const events = filterEvents(({ bytes, from, isError, to }: Event) => {
    tally.isFailed ||= isError
    return add(bytes, from, to)
  }, eventBytes)
  const items = tally.mayBeArray ? observeItems(add, eventBytes) : undefined
  let isArray: boolean | undefined = items === undefined ? false : undefined
  let hasEnded = false

  const stateOf = ({ isFinished, hasNoLastEvent }: Tally): StreamReport["state"] => {
    if (tally.isFailed) return "failed"
    if (isArray === true) return items?.isClosed() === true ? "complete" : "open"
    const isAtEnd = hasNoLastEvent && isFinished && (hasEnded || tally.isUsageFinal)
    return tally.isComplete || isAtEnd ? "complete" : "open"
  }
  const { errorEvent } = tally
  return {
    push: (chunk) => {
      if (isArray === undefined) {
        const first = firstByte(chunk)
        if (first === undefined) return chunk
        isArray = first === leftBracket || first === leftBrace
      }
      return isArray && items !== undefined ? items.push(chunk) : events.push(chunk)
    },
    finish: () => {
      const hasAll = () => !tally.hasNoLastEvent && tally.isFinished && tally.isUsageFinal
      isEnough = hasAll()
      const rest = isArray === true && items !== undefined ? items.finish() : events.finish()
      const isOpen = stateOf(tally) === "open"
      hasEnded = true
      if (!isOpen || !hasAll()) return rest
      tally.isComplete = true
      return emptyBytes
    },
    isTooLarge: () => events.isTooLarge() || items?.isTooLarge() === true,
    report: () => tally.report(stateOf(tally)),
    ...(errorEvent === undefined ? {} : { errorEvent })
  }
}

/** The meter of whole answers and of streams that a tally adds up. */
export const talliedBy = (
  make: (exchange: Decoded) => Tally,
  outputs: Completion["outputs"]
): Pick<Protocol, "evidence" | "isStreamed" | "streamMeter"> => ({
  evidence: evidenceOf({
    outputs,
    facts: (answer, exchange) => {
      const tally = make(exchange)
      tally.addAnswer(answer)
      return tally.facts()
    }
  }),
  isStreamed: isEventStream,
  streamMeter: (exchange, eventBytes, tap) => meterStream(make(exchange), eventBytes, tap)
})
