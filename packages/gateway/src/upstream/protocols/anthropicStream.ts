import * as Utf8 from "@tollgate/contract/Utf8"
import type { Event } from "../../internal/sse.ts"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import type { StreamMeter, StreamReport, ReportedUsage } from "../Protocol.ts"
import { countUse, declined, impossibleIn, parseUsage, withCounted } from "../usage/anthropic.ts"
import { type Field, fieldScanner, shortString, stringBytes } from "./fieldScanner.ts"
import { tryParseSmall } from "../../internal/jsonValue.ts"
import { observeEvents } from "./filterEvents.ts"

type Tag = "type" | "blockType" | "blockName" | "text" | "stop" | "model" | "firstUsage" | "usage"

const text: Field<Tag> = { tag: "text" }
const scan = fieldScanner<Tag>({
  members: {
    type: { tag: "type" },
    delta: { members: { text, thinking: text, partial_json: text, stop_reason: { tag: "stop" } } },
    content_block: { members: { type: { tag: "blockType" }, name: { tag: "blockName" } } },
    message: { members: { model: { tag: "model" }, usage: { tag: "firstUsage" } } },
    usage: { tag: "usage" }
  }
})

const messageStart = Utf8.encode('"message_start"')
const messageStop = Utf8.encode('"message_stop"')
const error = Utf8.encode('"error"')
const refusal = Utf8.encode('"refusal"')
const isAt = (bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean =>
  end - start === text.length && text.every((byte, i) => bytes[start + i] === byte)

const hasCount = (usage: ReportedUsage): boolean => usage.input !== undefined || usage.output !== undefined

export const streamMeter = (eventBytes?: number): StreamMeter => {
  let state: StreamReport["state"] = "open"
  let started = false
  let finished = false
  /** A later report may repeat only some counts. */
  let usage: ReportedUsage = {}
  let usageFinal = false
  let generatedBytes = 0
  let isRefused = false
  /** A block that is neither text nor visible thinking. */
  let hasOtherBlock = false
  const ran: Record<string, number> = {}
  let bad: ReadonlyArray<string> = []

  const onEvent = ({ bytes, from, isError, to }: Event): void => {
    if (isError) state = "failed"
    let text = 0
    let nextState = state
    let isStart = false
    let isStop = false
    let reported: ReportedUsage | undefined
    let isFirst = false
    let model: string | undefined
    let block = ""
    let tool: string | undefined
    let report: unknown
    const isValid = scan(bytes, from, to, (tag, start, end) => {
      switch (tag) {
        case "text":
          text += stringBytes(bytes, start, end)
          break
        case "stop":
          isStop = stringBytes(bytes, start, end) > 0
          isRefused ||= isAt(bytes, start, end, refusal)
          break
        case "model":
          model = shortString(bytes, start, to)
          break
        case "blockType":
          block = shortString(bytes, start, to) ?? "?"
          break
        case "blockName":
          tool = shortString(bytes, start, to)
          break
        case "firstUsage":
        case "usage":
          report = tryParseSmall(bytes, start, end)
          reported = parseUsage(report)
          isFirst = tag === "firstUsage"
          break
        case "type":
          if (isAt(bytes, start, end, error)) nextState = "failed"
          else if (nextState === "open" && isAt(bytes, start, end, messageStop)) nextState = "complete"
          else isStart = isAt(bytes, start, end, messageStart)
      }
    })
    if (!isValid) return
    generatedBytes += text
    state = nextState
    started ||= isStart || text > 0
    finished ||= isStop
    hasOtherBlock ||= block !== "" && block !== "text" && block !== "thinking"
    if (block === "server_tool_use") countUse(ran, tool)
    if (report !== undefined && reported === undefined && bad.length === 0) bad = impossibleIn(report)
    if (model !== undefined) usage = { ...usage, model }
    if (reported === undefined) return
    usage = { ...usage, ...reported }
    usageFinal ||= !isFirst && reported.output !== undefined
  }

  /** The first event's count of output is a placeholder: at the end it is no report of what was generated. */
  const lastUsage = (): ReportedUsage => {
    if (isRefused && generatedBytes === 0 && !hasOtherBlock) return declined(usage)
    const all = hasOtherBlock ? { ...usage, ...withCounted(ran, usage.uses) } : usage
    if (state !== "complete" || usageFinal) return all
    const { output: _, ...rest } = all
    return rest
  }

  const events = observeEvents(onEvent, eventBytes)
  return {
    ...events,
    finish: () => {
      const rest = events.finish()
      // All that matters was sent. The rest is half of the last event, or nothing.
      if (state !== "open" || !usageFinal || !finished) return rest
      state = "complete"
      return emptyBytes
    },
    report: () => {
      const known = lastUsage()
      return {
        state,
        started,
        finished,
        usage: hasCount(known) ? known : undefined,
        ...(bad.length === 0 ? {} : { served: { gaps: bad } }),
        usageFinal: finished && usageFinal,
        textBytes: generatedBytes
      }
    }
  }
}
