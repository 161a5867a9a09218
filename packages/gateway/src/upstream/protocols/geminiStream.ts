import type { TokenUsage } from "@tollgate/contract/price/evidence"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import { leftBrace, leftBracket } from "../../internal/jsonScan.ts"
import type { StreamMeter } from "../Protocol.ts"
import { type Field, fieldScanner } from "./fieldScanner.ts"
import { parseUsage } from "./geminiUsage.ts"
import { parseCount, tryParseSmall } from "./jsonValue.ts"
import { observeEvents } from "./observeEvents.ts"
import { observeItems } from "./observeItems.ts"
import { stringBytes } from "./stringBytes.ts"

type Tag = "text" | "arguments" | "index" | "finish" | "candidate" | "blocked" | "usage" | "error"

const text: Field<Tag> = { tag: "text" }
const part: Field<Tag> = {
  members: {
    text,
    functionCall: { members: { args: { tag: "arguments" } } },
    executableCode: { members: { code: text } }
  }
}
const scan = fieldScanner<Tag>({
  members: {
    candidates: {
      items: {
        tag: "candidate",
        members: {
          index: { tag: "index" },
          finishReason: { tag: "finish" },
          content: { members: { parts: { items: part } } }
        }
      }
    },
    promptFeedback: { members: { blockReason: { tag: "blocked" } } },
    usageMetadata: { tag: "usage" },
    error: { tag: "error" }
  }
})

/** Bounds the memory that a stream can take: a higher index counts as 0. */
const maxCandidates = 256
const candidateIndex = (value: unknown): number => {
  const index = parseCount(value) ?? 0
  return index < maxCandidates ? index : 0
}

/** The first byte that is neither white space nor part of a byte order mark. */
const firstByte = (chunk: Uint8Array): number | undefined =>
  chunk.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf)

export const streamMeter = (): StreamMeter => {
  // Events have no closing event: the stream is complete when every candidate has finished.
  const finished = new Map<number, boolean>()
  let blocked = false
  let usage: TokenUsage | undefined
  let generatedBytes = 0
  let failed = false

  const onItem = (bytes: Uint8Array, from: number, to: number): void => {
    let text = 0
    let report: unknown
    let index: unknown
    let isFinished = false
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
          isFinished = stringBytes(bytes, start, end) > 0
          break
        case "candidate":
          candidates.push([candidateIndex(index), isFinished])
          index = undefined
          isFinished = false
          break
        case "blocked":
          isBlocked = stringBytes(bytes, start, end) > 0
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
    usage = parseUsage(report) ?? usage
    failed ||= isError
    blocked ||= isBlocked
    for (const [at, isEnd] of candidates) finished.set(at, isEnd || finished.get(at) === true)
  }

  const isComplete = () => blocked || (finished.size > 0 && [...finished.values()].every(Boolean))

  const events = observeEvents(({ bytes, from, isError, to }) => {
    failed ||= isError
    onItem(bytes, from, to)
  })
  const items = observeItems(onItem)
  let isJson: boolean | undefined

  return {
    push: (chunk) => {
      if (isJson === undefined) {
        const first = firstByte(chunk)
        if (first !== undefined) isJson = first === leftBracket || first === leftBrace
      }
      if (isJson === true) items.push(chunk)
      else if (isJson === false) events.push(chunk)
      return chunk
    },
    finish: () => {
      events.finish()
      return emptyBytes
    },
    report: () => ({
      state: failed ? "failed" : (isJson === true ? items.isClosed() : isComplete()) ? "complete" : "open",
      usage,
      textBytes: generatedBytes
    })
  }
}
