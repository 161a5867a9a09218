import { textBytes } from "@tollgate/contract/price/content"
import { read } from "@tollgate/contract/price/exact"
import { counts } from "@tollgate/protocols/converse/usage"
import * as Predicate from "effect/Predicate"
import { tryParse } from "../../internal/jsonValue.ts"
import type { Event } from "../../internal/sse.ts"
import type { Protocol, ReportedUsage, StreamMeter } from "../Protocol.ts"
import { usageOf } from "../usage/converse.ts"
import { impossibleCounts } from "../usage/fields.ts"
import { evidenceOf, outputsIn } from "./evidence.ts"
import { observeEvents } from "./filterEvents.ts"
import { isEventStream, messageOf } from "./message.ts"

const impossibleIn = (report: unknown): ReadonlyArray<string> =>
  impossibleCounts(read(report, ["usage"]), counts, "usage")

const blocksOf = (answer: unknown): ReadonlyArray<unknown> | undefined =>
  outputsIn(read(answer, ["output", "message", "content"]), Predicate.isObject)

const generated = [["text"], ["toolUse", "input"], ["reasoningContent", "text"], ["reasoningContent", "reasoningText"]]

/** The bytes of generated text in a block, or in what is new of it. */
const bytesIn = (block: unknown): number => generated.reduce((sum, path) => sum + textBytes(read(block, path)), 0)

const streamMeter = (eventBytes?: number): StreamMeter => {
  let started = false
  let finished = false
  let failed = false
  let ended = false
  let usage: ReportedUsage | undefined
  let bad: ReadonlyArray<string> = []
  let generatedBytes = 0

  const onEvent = ({ bytes, from, isError, to }: Event): void => {
    failed ||= isError
    const event = tryParse(bytes.subarray(from, to))
    generatedBytes += bytesIn(read(event, ["contentBlockDelta", "delta"]))
    started ||= generatedBytes > 0 || Predicate.isObject(read(event, ["messageStart"]))
    finished ||= typeof read(event, ["messageStop", "stopReason"]) === "string"
    const metadata = read(event, ["metadata"])
    if (metadata === undefined) return
    usage = usageOf(metadata)
    bad = impossibleIn(metadata)
  }

  const events = observeEvents(onEvent, eventBytes)
  return {
    ...events,
    finish: () => {
      ended = true
      return events.finish()
    },
    report: () => {
      const usageFinal = finished && usage !== undefined
      return {
        // The report of the usage is the last event, and a stream may lack it.
        state: failed ? "failed" : usageFinal || (finished && ended) ? "complete" : "open",
        started,
        finished,
        usage,
        served: bad.length === 0 ? {} : { gaps: bad },
        usageFinal,
        textBytes: generatedBytes
      }
    }
  }
}

/** Bedrock's `Converse`. Each event of its stream is an object whose only field is the event's name. */
export const converse: Protocol = {
  id: "converse",
  request: (exchange, { path }) => messageOf(exchange, { path }),
  evidence: evidenceOf({
    outputs: blocksOf,
    usage: usageOf,
    impossible: impossibleIn,
    textBytes: (bytes) => blocksOf(tryParse(bytes))?.reduce<number>((sum, block) => sum + bytesIn(block), 0) ?? 0
  }),
  isStreamed: isEventStream,
  streamMeter: (_, eventBytes) => streamMeter(eventBytes)
}
