import { promptsIn } from "@tollgate/contract/price/contracts/modelRequest"
import { read } from "@tollgate/contract/price/exact"
import { type Field, fieldScanner, shortString, stringBytes } from "./fieldScanner.ts"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Decoded } from "../../exchange/Exchange.ts"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import { without } from "../../internal/jsonEdit.ts"
import { leftBrace, leftBracket, rightBracket, skipSpace, valueEnd } from "../../internal/jsonScan.ts"
import type { Event } from "../../internal/sse.ts"
import type { ReportedUsage, StreamMeter, StreamReport } from "../Protocol.ts"
import { filterEvents, observeEvents, type Verdict } from "./filterEvents.ts"
import { parseCount, tryParseSmall } from "../../internal/jsonValue.ts"
import { impossibleIn, parseUsage, searchesFor, servedBy } from "../usage/chat.ts"
import { withGaps } from "../usage/fields.ts"

type Tag =
  | "model"
  | "tier"
  | "text"
  | "reasoning"
  | "reasoningContent"
  | "index"
  | "finish"
  | "choice"
  | "choices"
  | "usage"
  | "error"

const text: Field<Tag> = { tag: "text" }
const functionCall: Field<Tag> = { members: { arguments: text } }
/** The generated text of a choice: a whole message, or what is new in an event. */
const message: Field<Tag> = {
  members: {
    content: { tag: "text", items: { members: { text } } },
    // Two names for the same text; an upstream may send both.
    reasoning: { tag: "reasoning" },
    reasoning_content: { tag: "reasoningContent" },
    refusal: text,
    function_call: functionCall,
    tool_calls: { items: { members: { function: functionCall, custom: { members: { input: text } } } } }
  }
}

/** Finds what is metered in an answer or in an event. */
const scan = fieldScanner<Tag>({
  members: {
    choices: {
      tag: "choices",
      items: {
        tag: "choice",
        members: { index: { tag: "index" }, delta: message, message, text, finish_reason: { tag: "finish" } }
      }
    },
    model: { tag: "model" },
    service_tier: { tag: "tier" },
    usage: { tag: "usage" },
    error: { tag: "error" }
  }
})

/** The bytes of generated text in a whole answer. */
export const textBytes = (bytes: Uint8Array): number => {
  let text = 0
  let reasoning = 0
  let reasoningContent = 0
  scan(bytes, 0, bytes.length, (tag, start, end) => {
    if (tag === "text") text += stringBytes(bytes, start, end)
    else if (tag === "reasoning") reasoning += stringBytes(bytes, start, end)
    else if (tag === "reasoningContent") reasoningContent += stringBytes(bytes, start, end)
  })
  return text + Math.max(reasoning, reasoningContent)
}

const done = Utf8.encode("[DONE]")
const isDone = (bytes: Uint8Array, from: number, to: number): boolean => {
  const at = skipSpace(bytes, from, to)
  return done.every((byte, i) => bytes[at + i] === byte) && skipSpace(bytes, at + done.length, to) === to
}

const isEmptyArray = (bytes: Uint8Array, start: number, end: number): boolean =>
  bytes[start] === leftBracket && bytes[skipSpace(bytes, start + 1, end)] === rightBracket

/** Bounds the memory that a stream can take: a higher index counts as 0. */
const maxChoices = 256
const choiceIndex = (bytes: Uint8Array, start: number, to: number): number => {
  const index = parseCount(tryParseSmall(bytes, start, valueEnd(bytes, start, to))) ?? 0
  return index < maxChoices ? index : 0
}

const withoutUsage = without("usage")

/** `removesUsage`: the gateway asked for the usage report and the caller did not. */
export const streamMeter = (exchange: Decoded, removesUsage: boolean, eventBytes?: number): StreamMeter => {
  const { body } = exchange.input
  const wantedChoices = (parseCount(read(body, ["n"])) || 1) * promptsIn(body)
  const finishedChoices = new Set<number>()
  let state: StreamReport["state"] = "open"
  let started = false
  let usage: ReportedUsage | undefined
  let usageFinal = false
  let generatedBytes = 0
  let model: string | undefined
  let tier: string | undefined
  let bad: ReadonlyArray<string> = []
  /** Made once for each change of what it consists of: every event asks for it. */
  let served: StreamReport["served"]

  const isFinished = () => finishedChoices.size >= wantedChoices

  const onEvent = ({ bytes, from, isError, to }: Event): Verdict => {
    if (isError) state = "failed"
    if (state === "open" && isDone(bytes, from, to)) state = "complete"
    let text = 0
    let reasoning = 0
    let reasoningContent = 0
    let choices = 0
    let indexAt = -1
    let hasReason = false
    let finishing: Array<number> | undefined
    let failed = false
    let hasNoChoices = false
    let report: unknown
    let usageAt = -1
    let modelAt = -1
    let tierAt = -1
    const isValid = scan(bytes, from, to, (tag, start, end) => {
      switch (tag) {
        case "text":
          text += stringBytes(bytes, start, end)
          break
        case "reasoning":
          reasoning += stringBytes(bytes, start, end)
          break
        case "reasoningContent":
          reasoningContent += stringBytes(bytes, start, end)
          break
        case "index":
          indexAt = start
          break
        case "finish":
          hasReason = stringBytes(bytes, start, end) > 0
          break
        case "choice":
          if (bytes[start] === leftBrace) choices++
          if (hasReason) (finishing ??= []).push(indexAt === -1 ? 0 : choiceIndex(bytes, indexAt, end))
          indexAt = -1
          hasReason = false
          break
        case "choices":
          hasNoChoices = isEmptyArray(bytes, start, end)
          break
        case "error":
          failed = bytes[start] === leftBrace || stringBytes(bytes, start, end) > 0
          break
        case "model":
          modelAt = start
          break
        case "tier":
          tierAt = start
          break
        case "usage":
          usageAt = start
          report = bytes[start] === leftBrace ? tryParseSmall(bytes, start, end) : undefined
      }
    })
    if (!isValid) return "keep"
    generatedBytes += text + Math.max(reasoning, reasoningContent)
    if (failed) state = "failed"
    if (finishing !== undefined) for (const choice of finishing) finishedChoices.add(choice)
    const reported = report === undefined ? undefined : parseUsage(report)
    if (report !== undefined) {
      served = undefined
      if (reported === undefined && bad.length === 0) bad = impossibleIn(report)
    }
    started ||= choices > 0 || (reported !== undefined && hasNoChoices)
    // They stand in every event. The first names them, and the report may correct it.
    if (modelAt !== -1 && (model === undefined || reported !== undefined)) {
      model = shortString(bytes, modelAt, to) ?? model
      served = undefined
    }
    if (tierAt !== -1 && (tier === undefined || reported !== undefined)) {
      tier = shortString(bytes, tierAt, to) ?? tier
      served = undefined
    }
    if (reported !== undefined) {
      usage = reported
      usageFinal = isFinished()
    } else if (text > 0) usageFinal = false
    if (!removesUsage || usageAt === -1) return "keep"
    return hasNoChoices && !failed && bytes[usageAt] === leftBrace ? "drop" : (withoutUsage(bytes, from, to) ?? "keep")
  }

  const events = removesUsage ? filterEvents(onEvent, eventBytes) : observeEvents(onEvent, eventBytes)
  return {
    ...events,
    finish: () => {
      const rest = events.finish()
      // All that matters was sent. The rest is half of the last event, or nothing.
      if (state !== "open" || !usageFinal || !isFinished()) return rest
      state = "complete"
      return emptyBytes
    },
    report: () => ({
      state,
      started,
      finished: isFinished(),
      usage,
      served: (served ??= withGaps({ ...servedBy(model, tier), ...searchesFor(body) }, bad)),
      usageFinal,
      textBytes: generatedBytes
    })
  }
}
