import type { TokenUsage } from "@tollgate/contract/price/evidence"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Decoded } from "../../Exchange.ts"
import { set, without } from "../../internal/jsonEdit.ts"
import { leftBrace, leftBracket, rightBracket, skipSpace } from "../../internal/jsonScan.ts"
import type { Event } from "../../internal/sse.ts"
import type { Protocol, Seen, Watch } from "../Protocol.ts"
import { follow } from "./follow.ts"
import { asksForStream, bodyOf, headersOf, messageOf } from "./message.ts"
import { picker, type Place } from "./pick.ts"
import { isEventStream, proofOf } from "./proof.ts"
import { read, reportAt, textBytes, count } from "./read.ts"
import { type Fate, sift } from "./sift.ts"

/** Whether the gateway asks in the caller's place what a stream has used. Then the caller does not see the answer to it. */
const asksForUsage = (exchange: Decoded): boolean =>
  exchange.operation.price.contract === "model_tokens" &&
  asksForStream(exchange) &&
  read(exchange.input.body, "stream_options", "include_usage") !== true

const usageIn = (usage: unknown): TokenUsage | undefined => {
  const said = read(usage, "prompt_tokens")
  const written = read(usage, "completion_tokens")
  if (typeof said !== "number" || typeof written !== "number") return undefined
  const prompt = count(said)
  const output = count(written)
  const cached = count(read(usage, "prompt_tokens_details", "cached_tokens"))
  if (prompt === undefined || output === undefined || cached === undefined) return undefined
  const cacheRead = Math.min(cached, prompt)
  return { input: prompt - cacheRead, output, cacheRead, cacheWrite: 0 }
}

type Mark = "text" | "choices" | "usage" | "error"

const text: Place<Mark> = { mark: "text" }
const called: Place<Mark> = { members: { arguments: text } }
const delta: Place<Mark> = {
  members: {
    content: text,
    reasoning_content: text,
    refusal: text,
    function_call: called,
    tool_calls: { items: { members: { function: called, custom: { members: { input: text } } } } }
  }
}
const pick = picker<Mark>({
  members: {
    choices: { mark: "choices", items: { members: { delta } } },
    usage: { mark: "usage" },
    error: { mark: "error" }
  }
})

const done = Utf8.encode("[DONE]")
const isDone = (bytes: Uint8Array, from: number, to: number): boolean => {
  const at = skipSpace(bytes, from, to)
  return done.every((byte, i) => bytes[at + i] === byte) && skipSpace(bytes, at + done.length, to) === to
}

const isEmptyArray = (bytes: Uint8Array, start: number, end: number): boolean =>
  bytes[start] === leftBracket && bytes[skipSpace(bytes, start + 1, end)] === rightBracket

const withoutUsage = without("usage")

const watch = (exchange: Decoded): Watch => {
  const sifts = asksForUsage(exchange)
  let end: Seen["end"] = "open"
  let usage: TokenUsage | undefined
  let passed = 0

  const look = ({ bytes, from, isError, to }: Event): Fate => {
    if (isError) end = "failed"
    if (end === "open" && isDone(bytes, from, to)) end = "complete"
    let text = 0
    let failed = false
    let isEmpty = false
    let report: unknown
    let usageAt = -1
    const whole = pick(bytes, from, to, (mark, start, stop) => {
      if (mark === "text") text += textBytes(bytes, start, stop)
      else if (mark === "choices") isEmpty = isEmptyArray(bytes, start, stop)
      else if (mark === "error") failed = bytes[start] === leftBrace || textBytes(bytes, start, stop) > 0
      else {
        usageAt = start
        report = bytes[start] === leftBrace ? reportAt(bytes, start, stop) : undefined
      }
    })
    if (!whole) return "passed"
    passed += text
    if (failed) end = "failed"
    usage = usageIn(report) ?? usage
    if (!sifts || usageAt === -1) return "passed"
    return isEmpty && !failed && bytes[usageAt] === leftBrace ? "dropped" : (withoutUsage(bytes, from, to) ?? "passed")
  }

  return {
    ...(sifts ? sift(look) : follow(look)),
    seen: () => ({ end, usage, textBytes: passed })
  }
}

/** Chat completions, and what else answers in their shape. */
export const openai: Protocol = {
  id: "openai",
  request: (exchange, alias) => {
    const body = bodyOf(exchange, alias)
    return messageOf(exchange, {
      path: alias.path,
      streams: asksForStream(exchange),
      headers: headersOf(exchange, ["openai-beta"]),
      body: asksForUsage(exchange) ? set(body, ["stream_options", "include_usage"], "true") : body
    })
  },
  evidence: proofOf((answer) => usageIn(read(answer, "usage"))),
  isStreamed: isEventStream,
  watch
}
