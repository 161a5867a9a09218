import { type Field, fieldScanner, shortString, stringBytes } from "./fieldScanner.ts"
import { leftBrace, leftBracket } from "../../internal/jsonScan.ts"
import type { ReportedUsage, StreamMeter } from "../Protocol.ts"
import { addQueries, impossibleIn, parseUsage, servedBy } from "../usage/gemini.ts"
import { withGaps } from "../usage/fields.ts"
import { parseCount, tryParseSmall } from "../../internal/jsonValue.ts"
import { observeEvents, observeItems } from "./filterEvents.ts"

type Tag =
  | "model"
  | "queries"
  | "maps"
  | "text"
  | "arguments"
  | "index"
  | "finish"
  | "candidate"
  | "blocked"
  | "usage"
  | "error"

const text: Field<Tag> = { tag: "text" }
const part: Field<Tag> = {
  members: {
    text,
    functionCall: { members: { args: { tag: "arguments" } } },
    executableCode: { members: { code: text } }
  }
}

/** Finds what is metered in an answer, which is also the shape of an event. */
const scan = fieldScanner<Tag>({
  members: {
    candidates: {
      items: {
        tag: "candidate",
        members: {
          index: { tag: "index" },
          finishReason: { tag: "finish" },
          groundingMetadata: {
            members: {
              webSearchQueries: { tag: "queries" },
              groundingChunks: { items: { members: { maps: { tag: "maps" } } } }
            }
          },
          content: { members: { parts: { items: part } } }
        }
      }
    },
    promptFeedback: { members: { blockReason: { tag: "blocked" } } },
    modelVersion: { tag: "model" },
    usageMetadata: { tag: "usage" },
    error: { tag: "error" }
  }
})

/** The bytes of generated text in a whole answer. */
export const textBytes = (bytes: Uint8Array): number => {
  let length = 0
  scan(bytes, 0, bytes.length, (tag, start, end) => {
    if (tag === "text") length += stringBytes(bytes, start, end)
    else if (tag === "arguments") length += end - start
  })
  return length
}

/** Bounds the memory that a stream can take: a higher index counts as 0. */
const maxCandidates = 256
const candidateIndex = (value: unknown): number => {
  const index = parseCount(value) ?? 0
  return index < maxCandidates ? index : 0
}

/** The first byte that is neither white space nor part of a byte order mark. */
const firstByte = (chunk: Uint8Array): number | undefined =>
  chunk.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf)

export const streamMeter = (eventBytes?: number): StreamMeter => {
  // Events have no closing event: the stream is complete when every candidate has finished and the usage is reported.
  const finished = new Map<number, boolean>()
  let blocked = false
  let usage: ReportedUsage | undefined
  let usageFinal = false
  let ended = false
  let generatedBytes = 0
  let failed = false
  let model: string | undefined
  let bad: ReadonlyArray<string> = []
  const queries = new Set<string>()
  let usesMaps = false

  const onItem = (bytes: Uint8Array, from: number, to: number): void => {
    let text = 0
    let report: unknown
    let index: unknown
    let hasReason = false
    let isError = false
    let isBlocked = false
    const candidates: Array<readonly [number, boolean]> = []
    const isValid = scan(bytes, from, to, (tag, start, end) => {
      switch (tag) {
        case "text":
          text += stringBytes(bytes, start, end)
          break
        case "arguments":
          text += end - start
          break
        case "index":
          index = tryParseSmall(bytes, start, end)
          break
        case "finish":
          hasReason = stringBytes(bytes, start, end) > 0
          break
        case "candidate":
          candidates.push([candidateIndex(index), hasReason])
          index = undefined
          hasReason = false
          break
        case "blocked":
          isBlocked = stringBytes(bytes, start, end) > 0
          break
        case "model":
          model ??= shortString(bytes, start, to)
          break
        case "queries":
          addQueries(queries, tryParseSmall(bytes, start, end))
          break
        case "maps":
          usesMaps ||= bytes[start] === leftBrace
          break
        case "usage":
          report = tryParseSmall(bytes, start, end)
          break
        case "error":
          isError = bytes[start] === leftBrace
      }
    })
    if (!isValid) return
    generatedBytes += text
    failed ||= isError
    blocked ||= isBlocked
    for (const [at, isEnd] of candidates) finished.set(at, isEnd || finished.get(at) === true)
    const reported = report === undefined ? undefined : parseUsage(report)
    if (report !== undefined && reported === undefined && bad.length === 0) bad = impossibleIn(report)
    if (reported !== undefined) {
      usage = reported
      usageFinal = isFinished()
    } else if (text > 0) usageFinal = false
  }

  const isFinished = () => blocked || (finished.size > 0 && [...finished.values()].every(Boolean))

  const isComplete = () => (isJson === true ? items.isClosed() : isFinished() && (usageFinal || ended))

  const events = observeEvents(({ bytes, from, isError, to }) => {
    failed ||= isError
    onItem(bytes, from, to)
  }, eventBytes)
  const items = observeItems(onItem, eventBytes)
  let isJson: boolean | undefined

  return {
    push: (chunk) => {
      if (isJson === undefined) {
        const first = firstByte(chunk)
        if (first !== undefined) isJson = first === leftBracket || first === leftBrace
      }
      return isJson === undefined ? chunk : isJson ? items.push(chunk) : events.push(chunk)
    },
    finish: () => {
      ended = true
      return isJson === true ? items.finish() : events.finish()
    },
    isTooLarge: () => items.isTooLarge() || events.isTooLarge(),
    report: () => ({
      state: failed ? "failed" : isComplete() ? "complete" : "open",
      started: blocked || finished.size > 0,
      finished: isFinished(),
      usage,
      served: withGaps(servedBy(model, queries, usesMaps), bad),
      usageFinal,
      textBytes: generatedBytes
    })
  }
}
