import type { TokenUsage } from "@tollgate/contract/price/evidence"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Event } from "../../internal/sse.ts"
import type { Protocol, StreamMeter, StreamReport } from "../Protocol.ts"
import { isEventStream } from "./contentType.ts"
import { evidenceOf } from "./evidence.ts"
import { type Field, fieldScanner } from "./fieldScanner.ts"
import { getPath, parseCount, tryParseSmall } from "./jsonValue.ts"
import { asksForStream, bodyWithModel, messageOf, pickHeaders } from "./message.ts"
import { observeEvents } from "./observeEvents.ts"
import { stringBytes } from "./stringBytes.ts"

/** The counts reported so far. A later report may repeat only some of them. */
type ReportedCounts = Partial<TokenUsage>

const fieldNames = {
  input: "input_tokens",
  output: "output_tokens",
  cacheRead: "cache_read_input_tokens",
  cacheWrite: "cache_creation_input_tokens"
} as const

/** A report with an invalid count is ignored as a whole. */
const merge = (before: ReportedCounts, usage: unknown): ReportedCounts => {
  const merged: { -readonly [K in keyof TokenUsage]?: number } = { ...before }
  for (const kind of ["input", "output", "cacheRead", "cacheWrite"] as const) {
    const value = getPath(usage, fieldNames[kind])
    if (value === undefined || value === null) continue
    const count = parseCount(value)
    if (count === undefined) return before
    merged[kind] = count
  }
  return merged
}

const usageOf = ({ cacheRead = 0, cacheWrite = 0, input, output }: ReportedCounts): TokenUsage | undefined =>
  input === undefined || output === undefined ? undefined : { input, output, cacheRead, cacheWrite }

type Tag = "type" | "text" | "usage"

const text: Field<Tag> = { tag: "text" }
const usage: Field<Tag> = { tag: "usage" }
const scan = fieldScanner<Tag>({
  members: {
    type: { tag: "type" },
    delta: { members: { text, thinking: text, partial_json: text } },
    message: { members: { usage } },
    usage
  }
})

const messageStop = Utf8.encode('"message_stop"')
const error = Utf8.encode('"error"')
const isAt = (bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean =>
  end - start === text.length && text.every((byte, i) => bytes[start + i] === byte)

const streamMeter = (): StreamMeter => {
  let state: StreamReport["state"] = "open"
  let counts: ReportedCounts = {}
  let generatedBytes = 0

  const onEvent = ({ bytes, from, isError, to }: Event): void => {
    if (isError) state = "failed"
    let text = 0
    let nextState = state
    let nextCounts = counts
    const isValid = scan(bytes, from, to, (tag, start, end) => {
      if (tag === "text") text += stringBytes(bytes, start, end)
      else if (tag === "usage") nextCounts = merge(nextCounts, tryParseSmall(bytes, start, end))
      else if (isAt(bytes, start, end, error)) nextState = "failed"
      else if (nextState === "open" && isAt(bytes, start, end, messageStop)) nextState = "complete"
    })
    if (!isValid) return
    generatedBytes += text
    state = nextState
    counts = nextCounts
  }

  return { ...observeEvents(onEvent), report: () => ({ state, usage: usageOf(counts), textBytes: generatedBytes }) }
}

/** Anthropic's Messages. */
export const anthropic: Protocol = {
  id: "anthropic",
  request: (exchange, alias) =>
    messageOf(exchange, {
      path: alias.path,
      wantsStream: asksForStream(exchange),
      headers: pickHeaders(exchange, ["anthropic-version", "anthropic-beta"]),
      body: bodyWithModel(exchange, alias)
    }),
  evidence: evidenceOf((answer) => usageOf(merge({}, getPath(answer, "usage")))),
  isStreamed: isEventStream,
  streamMeter
}
