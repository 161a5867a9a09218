import type { TokenUsage } from "@tollgate/contract/price/evidence"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Event } from "../../internal/sse.ts"
import type { Protocol, Seen, Watch } from "../Protocol.ts"
import { follow } from "./follow.ts"
import { asksForStream, bodyOf, headersOf, messageOf } from "./message.ts"
import { picker, type Place } from "./pick.ts"
import { isEventStream, proofOf } from "./proof.ts"
import { read, reportAt, textBytes, count } from "./read.ts"

/** What was said until now. The end of a stream may repeat only a part of what its beginning said. */
type Said = Partial<TokenUsage>

const names = {
  input: "input_tokens",
  output: "output_tokens",
  cacheRead: "cache_read_input_tokens",
  cacheWrite: "cache_creation_input_tokens"
} as const

/** A report with a number that is none counts for nothing. */
const merge = (before: Said, usage: unknown): Said => {
  const said: { -readonly [K in keyof TokenUsage]?: number } = { ...before }
  for (const kind of ["input", "output", "cacheRead", "cacheWrite"] as const) {
    const value = read(usage, names[kind])
    if (value === undefined || value === null) continue
    const used = count(value)
    if (used === undefined) return before
    said[kind] = used
  }
  return said
}

const usageOf = ({ cacheRead = 0, cacheWrite = 0, input, output }: Said): TokenUsage | undefined =>
  input === undefined || output === undefined ? undefined : { input, output, cacheRead, cacheWrite }

type Mark = "type" | "text" | "usage"

const text: Place<Mark> = { mark: "text" }
const usage: Place<Mark> = { mark: "usage" }
const pick = picker<Mark>({
  members: {
    type: { mark: "type" },
    delta: { members: { text, thinking: text, partial_json: text } },
    message: { members: { usage } },
    usage
  }
})

const stop = Utf8.encode('"message_stop"')
const error = Utf8.encode('"error"')
const isAt = (bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean =>
  end - start === text.length && text.every((byte, i) => bytes[start + i] === byte)

const watch = (): Watch => {
  let end: Seen["end"] = "open"
  let said: Said = {}
  let passed = 0

  const look = ({ bytes, from, isError, to }: Event): void => {
    if (isError) end = "failed"
    let text = 0
    let next = end
    let now = said
    const whole = pick(bytes, from, to, (mark, start, stopAt) => {
      if (mark === "text") text += textBytes(bytes, start, stopAt)
      else if (mark === "usage") now = merge(now, reportAt(bytes, start, stopAt))
      else if (isAt(bytes, start, stopAt, error)) next = "failed"
      else if (next === "open" && isAt(bytes, start, stopAt, stop)) next = "complete"
    })
    if (!whole) return
    passed += text
    end = next
    said = now
  }

  return { ...follow(look), seen: () => ({ end, usage: usageOf(said), textBytes: passed }) }
}

/** Messages. */
export const anthropic: Protocol = {
  id: "anthropic",
  request: (exchange, alias) =>
    messageOf(exchange, {
      path: alias.path,
      streams: asksForStream(exchange),
      headers: headersOf(exchange, ["anthropic-version", "anthropic-beta"]),
      body: bodyOf(exchange, alias)
    }),
  evidence: proofOf((answer) => usageOf(merge({}, read(answer, "usage")))),
  isStreamed: isEventStream,
  watch
}
