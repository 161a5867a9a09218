import type { TokenUsage } from "@tollgate/contract/price/evidence"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Decoded } from "../../Exchange.ts"
import { set, without } from "../../internal/jsonEdit.ts"
import { leftBrace, leftBracket, rightBracket, skipSpace } from "../../internal/jsonScan.ts"
import type { Event } from "../../internal/sse.ts"
import type { Protocol, StreamMeter, StreamReport } from "../Protocol.ts"
import { isEventStream } from "./contentType.ts"
import { evidenceOf } from "./evidence.ts"
import { type Field, fieldScanner } from "./fieldScanner.ts"
import { filterEvents, type Verdict } from "./filterEvents.ts"
import { getPath, parseCount, tryParseSmall } from "./jsonValue.ts"
import { asksForStream, bodyWithModel, messageOf, pickHeaders } from "./message.ts"
import { observeEvents } from "./observeEvents.ts"
import { stringBytes } from "./stringBytes.ts"

/** The gateway needs a stream's usage and the caller did not ask for it: the gateway asks, and removes the report. */
const addsUsage = (exchange: Decoded): boolean =>
  exchange.operation.price.contract === "model_tokens" &&
  asksForStream(exchange) &&
  getPath(exchange.input.body, "stream_options", "include_usage") !== true

const parseUsage = (usage: unknown): TokenUsage | undefined => {
  const promptTokens = getPath(usage, "prompt_tokens")
  const completionTokens = getPath(usage, "completion_tokens")
  if (typeof promptTokens !== "number" || typeof completionTokens !== "number") return undefined
  const prompt = parseCount(promptTokens)
  const output = parseCount(completionTokens)
  const cached = parseCount(getPath(usage, "prompt_tokens_details", "cached_tokens"))
  if (prompt === undefined || output === undefined || cached === undefined) return undefined
  const cacheRead = Math.min(cached, prompt)
  return { input: prompt - cacheRead, output, cacheRead, cacheWrite: 0 }
}

type Tag = "text" | "choices" | "usage" | "error"

const text: Field<Tag> = { tag: "text" }
const functionCall: Field<Tag> = { members: { arguments: text } }
const delta: Field<Tag> = {
  members: {
    content: text,
    reasoning_content: text,
    refusal: text,
    function_call: functionCall,
    tool_calls: { items: { members: { function: functionCall, custom: { members: { input: text } } } } }
  }
}
const scan = fieldScanner<Tag>({
  members: {
    choices: { tag: "choices", items: { members: { delta } } },
    usage: { tag: "usage" },
    error: { tag: "error" }
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

const streamMeter = (exchange: Decoded): StreamMeter => {
  const removesUsage = addsUsage(exchange)
  let state: StreamReport["state"] = "open"
  let usage: TokenUsage | undefined
  let generatedBytes = 0

  const onEvent = ({ bytes, from, isError, to }: Event): Verdict => {
    if (isError) state = "failed"
    if (state === "open" && isDone(bytes, from, to)) state = "complete"
    let text = 0
    let failed = false
    let hasNoChoices = false
    let report: unknown
    let usageAt = -1
    const isValid = scan(bytes, from, to, (tag, start, end) => {
      if (tag === "text") text += stringBytes(bytes, start, end)
      else if (tag === "choices") hasNoChoices = isEmptyArray(bytes, start, end)
      else if (tag === "error") failed = bytes[start] === leftBrace || stringBytes(bytes, start, end) > 0
      else {
        usageAt = start
        report = bytes[start] === leftBrace ? tryParseSmall(bytes, start, end) : undefined
      }
    })
    if (!isValid) return "keep"
    generatedBytes += text
    if (failed) state = "failed"
    usage = parseUsage(report) ?? usage
    if (!removesUsage || usageAt === -1) return "keep"
    return hasNoChoices && !failed && bytes[usageAt] === leftBrace ? "drop" : (withoutUsage(bytes, from, to) ?? "keep")
  }

  return {
    ...(removesUsage ? filterEvents(onEvent) : observeEvents(onEvent)),
    report: () => ({ state, usage, textBytes: generatedBytes })
  }
}

/** OpenAI's chat completions, and other operations with answers of that shape. */
export const openai: Protocol = {
  id: "openai",
  request: (exchange, alias) => {
    const body = bodyWithModel(exchange, alias)
    return messageOf(exchange, {
      path: alias.path,
      wantsStream: asksForStream(exchange),
      headers: pickHeaders(exchange, ["openai-beta"]),
      body: addsUsage(exchange) ? set(body, ["stream_options", "include_usage"], "true") : body
    })
  },
  evidence: evidenceOf((answer) => parseUsage(getPath(answer, "usage"))),
  isStreamed: isEventStream,
  streamMeter
}
