import { read } from "@tollgate/contract/price/exact"
import { counts } from "@tollgate/protocols/converse/usage"
import * as Predicate from "effect/Predicate"
import { tryParseSmall } from "../../internal/jsonValue.ts"
import type { Event } from "../../internal/sse.ts"
import type { Protocol, ReportedUsage, StreamMeter } from "../Protocol.ts"
import { usageOf } from "../usage/converse.ts"
import { impossibleCounts } from "../usage/fields.ts"
import { evidenceOf, outputsIn } from "./evidence.ts"
import { type Field, fieldScanner, stringBytes } from "./fieldScanner.ts"
import { observeEvents } from "./filterEvents.ts"
import { isEventStream, messageOf } from "./message.ts"

const impossibleIn = (report: unknown): ReadonlyArray<string> =>
  impossibleCounts(read(report, ["usage"]), counts, "usage")

type Tag = "text" | "input" | "start" | "stop" | "usage" | "tier"

const text: Field<Tag> = { tag: "text" }
const scan = fieldScanner<Tag>({
  members: {
    // A whole answer.
    output: {
      members: {
        message: {
          members: {
            content: {
              items: {
                members: {
                  text,
                  reasoningContent: { members: { reasoningText: { members: { text } } } },
                  citationsContent: { members: { content: { items: { members: { text } } } } },
                  toolUse: { members: { input: { tag: "input" } } }
                }
              }
            }
          }
        }
      }
    },
    // An event.
    messageStart: { tag: "start" },
    contentBlockDelta: {
      members: {
        delta: { members: { text, reasoningContent: { members: { text } }, toolUse: { members: { input: text } } } }
      }
    },
    messageStop: { members: { stopReason: { tag: "stop" } } },
    metadata: { members: { usage: { tag: "usage" }, serviceTier: { tag: "tier" } } }
  }
})

/** The bytes of generated text in a whole answer. */
const textBytes = (bytes: Uint8Array): number => {
  let length = 0
  scan(bytes, 0, bytes.length, (tag, start, end) => {
    if (tag === "text") length += stringBytes(bytes, start, end)
    else if (tag === "input") length += end - start
  })
  return length
}

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
    const found = new Map<Tag, unknown>()
    let length = 0
    const isValid = scan(bytes, from, to, (tag, start, end) => {
      if (tag === "text") length += stringBytes(bytes, start, end)
      else found.set(tag, tryParseSmall(bytes, start, end))
    })
    if (!isValid) return
    generatedBytes += length
    started ||= found.has("start")
    finished ||= typeof found.get("stop") === "string"
    if (!found.has("usage")) return
    const report = { usage: found.get("usage"), serviceTier: found.get("tier") }
    usage = usageOf(report) ?? usage
    bad = impossibleIn(report)
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
        // The report of the usage is the last event, and some streams lack it.
        state: failed ? "failed" : usageFinal || (finished && ended) ? "complete" : "open",
        started,
        finished,
        usage,
        ...(bad.length === 0 ? {} : { served: { gaps: bad } }),
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
    outputs: (answer) => outputsIn(read(answer, ["output", "message", "content"]), Predicate.isObject),
    usage: usageOf,
    impossible: impossibleIn,
    textBytes
  }),
  isStreamed: isEventStream,
  streamMeter: (_, eventBytes) => streamMeter(eventBytes)
}
