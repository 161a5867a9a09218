import type { Refusal } from "@tollgate/contract/errors/Refused"
import { type Field, fieldScanner, stringBytes } from "./fieldScanner.ts"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Event } from "../../internal/sse.ts"
import { leftBrace, quote, valueEnd } from "../../internal/jsonScan.ts"
import type { ReportedUsage, StreamMeter, StreamReport } from "../Protocol.ts"
import { parseCount, tryParseSmall } from "../../internal/jsonValue.ts"
import { observeEvents } from "./filterEvents.ts"
import { impossibleIn, parseUsage, searchedAs, toolOf, withReported } from "../usage/responses.ts"
import { tierNamed, withGaps } from "../usage/fields.ts"

type TextTag = "text"

const text: Field<TextTag> = { tag: "text" }
const parts: Field<TextTag> = { items: { members: { text, refusal: text } } }

/** The generated text of a response: messages, calls of tools, and reasoning that is shown. */
const output: Field<TextTag> = {
  items: { members: { content: parts, summary: parts, arguments: text, input: text } }
}

const scanText = fieldScanner<TextTag>({ members: { output } })

/** The bytes of generated text in a whole answer. */
export const textBytes = (bytes: Uint8Array): number => {
  let length = 0
  scanText(bytes, 0, bytes.length, (_, start, end) => {
    length += stringBytes(bytes, start, end)
  })
  return length
}

type Tag =
  | "model"
  | "tier"
  | "toolUsage"
  | "action"
  | "type"
  | "number"
  | "delta"
  | "itemType"
  | "text"
  | "usage"
  | "response"
  | "error"

const scan = fieldScanner<Tag>({
  members: {
    type: { tag: "type" },
    sequence_number: { tag: "number" },
    delta: { tag: "delta" },
    item: { members: { type: { tag: "itemType" }, action: { members: { type: { tag: "action" } } } } },
    response: {
      tag: "response",
      members: {
        output,
        usage: { tag: "usage" },
        model: { tag: "model" },
        service_tier: { tag: "tier" },
        tool_usage: { tag: "toolUsage" }
      }
    },
    error: { tag: "error" }
  }
})

const longestType = 64
const typeAt = (bytes: Uint8Array, start: number, end: number): string =>
  bytes[start] !== quote || end - start > longestType ? "" : Utf8.decode(bytes.subarray(start + 1, end - 1))

/** Events whose `delta` is base64, not text. */
const isSound = (type: string): boolean => type === "response.audio.delta"

/** Our own error as an event of a response. */
export const responsesError = ({ code, message, param, requestId }: Refusal, number = 0) => ({
  type: "error",
  code,
  message,
  param: param ?? null,
  sequence_number: number,
  request_id: requestId
})

/** Reads the events of OpenAI's Responses. The last one has the whole answer and its usage. */
export const streamMeter = (request: unknown, eventBytes?: number): StreamMeter => {
  let state: StreamReport["state"] = "open"
  let started = false
  /** Every item that was begun is complete, and the last one is no reasoning. */
  let itemsDone = false
  let usage: ReportedUsage | undefined
  let generatedBytes = 0
  let nextNumber = 0
  const uses: Record<string, number> = {}
  let served: StreamReport["served"] = {}
  let bad: ReadonlyArray<string> = []

  const stateAfter = (type: string): StreamReport["state"] => {
    if (type === "error" || type === "response.failed") return "failed"
    return state === "open" && (type === "response.completed" || type === "response.incomplete") ? "complete" : state
  }

  const onEvent = ({ bytes, from, isError, to }: Event): void => {
    if (isError) state = "failed"
    let type = ""
    let itemType = ""
    let delta = 0
    let whole = 0
    let failed = false
    let hasResponse = false
    let numberAt = -1
    let report: unknown
    let reported: ReportedUsage | undefined
    let model = ""
    let tier = ""
    let action = ""
    let toolUsage: unknown
    const isValid = scan(bytes, from, to, (tag, start, end) => {
      switch (tag) {
        case "type":
          type = typeAt(bytes, start, end)
          break
        case "itemType":
          itemType = typeAt(bytes, start, end)
          break
        case "model":
          model = typeAt(bytes, start, end)
          break
        case "tier":
          tier = typeAt(bytes, start, end)
          break
        case "action":
          action = typeAt(bytes, start, end)
          break
        case "toolUsage":
          toolUsage = tryParseSmall(bytes, start, end)
          break
        case "delta":
          delta = stringBytes(bytes, start, end)
          break
        case "text":
          whole += stringBytes(bytes, start, end)
          break
        case "number":
          numberAt = start
          break
        case "usage":
          report = tryParseSmall(bytes, start, end)
          reported = parseUsage(report)
          break
        case "response":
          hasResponse = bytes[start] === leftBrace
          break
        case "error":
          failed = bytes[start] === leftBrace || stringBytes(bytes, start, end) > 0
      }
    })
    if (!isValid) return
    const number =
      numberAt === -1 ? undefined : parseCount(tryParseSmall(bytes, numberAt, valueEnd(bytes, numberAt, to)))
    nextNumber = Math.max(nextNumber, number ?? nextNumber) + 1
    if (!isSound(type)) generatedBytes += delta
    // An upstream may leave the deltas out.
    generatedBytes = Math.max(generatedBytes, whole)
    started ||= delta > 0 || (hasResponse && type.startsWith("response.") && type !== "response.failed")
    if (type === "response.output_item.added") itemsDone = false
    if (type === "response.output_item.done") {
      itemsDone = itemType !== "reasoning"
      const tool = toolOf(itemType, action === "" ? undefined : action)
      if (tool !== undefined) uses[tool] = (uses[tool] ?? 0) + 1
    }
    // What the request asked for stands there first, and what was served at the end.
    if (tier !== "" || model !== "") {
      served = { ...(model === "" ? {} : { model }), ...tierNamed(tier === "" ? undefined : tier) }
    }
    if (report !== undefined && reported === undefined && bad.length === 0) bad = impossibleIn(report)
    if (reported !== undefined) {
      const { gaps = [], ...used } = searchedAs(request, withReported(uses, toolUsage))
      usage = withGaps({ ...reported, ...used }, gaps)
    }
    state = failed ? "failed" : stateAfter(type)
  }

  return {
    ...observeEvents(onEvent, eventBytes),
    report: () => ({
      state,
      started,
      finished: state === "complete" || itemsDone,
      usage,
      served: withGaps({ ...served, ...searchedAs(request, withReported(uses, undefined)) }, bad),
      usageFinal: state === "complete" && usage !== undefined,
      textBytes: generatedBytes
    }),
    errorEvent: (error) => responsesError(error, nextNumber)
  }
}
