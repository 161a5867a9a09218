import type { TokenUsage } from "@tollgate/contract/price/evidence"
import { leftBrace, leftBracket } from "../../internal/jsonScan.ts"
import type { Watch } from "../Protocol.ts"
import { follow } from "./follow.ts"
import { usageIn } from "./geminiUsage.ts"
import { nothing } from "./hold.ts"
import { followItems } from "./items.ts"
import { picker, type Place } from "./pick.ts"
import { reportAt, textBytes, count } from "./read.ts"

type Mark = "text" | "arguments" | "index" | "finish" | "candidate" | "blocked" | "usage" | "error"

const text: Place<Mark> = { mark: "text" }
const part: Place<Mark> = {
  members: {
    text,
    functionCall: { members: { args: { mark: "arguments" } } },
    executableCode: { members: { code: text } }
  }
}
const pick = picker<Mark>({
  members: {
    candidates: {
      items: {
        mark: "candidate",
        members: {
          index: { mark: "index" },
          finishReason: { mark: "finish" },
          content: { members: { parts: { items: part } } }
        }
      }
    },
    promptFeedback: { members: { blockReason: { mark: "blocked" } } },
    usageMetadata: { mark: "usage" },
    error: { mark: "error" }
  }
})

/** No more candidates are told apart than an upstream gives. */
const mostCandidates = 256
const known = (index: unknown): number => {
  const at = count(index) ?? 0
  return at < mostCandidates ? at : 0
}

const startOf = (piece: Uint8Array): number | undefined =>
  // Neither blanks nor a byte order mark say what follows.
  piece.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf)

export const watch = (): Watch => {
  // Whether each candidate has ended, and with all of them the answer: events have no end of their own.
  const ends = new Map<number, boolean>()
  let blocked = false
  let usage: TokenUsage | undefined
  let passed = 0
  let failed = false

  const look = (bytes: Uint8Array, from: number, to: number): void => {
    let text = 0
    let report: unknown
    let index: unknown
    let ended = false
    let isError = false
    let isBlocked = false
    const candidates: Array<readonly [number, boolean]> = []
    const whole = pick(bytes, from, to, (mark, start, end) => {
      switch (mark) {
        case "text":
          text += textBytes(bytes, start, end)
          break
        case "arguments":
          text += end - start
          break
        case "index":
          index = reportAt(bytes, start, end)
          break
        case "finish":
          ended = textBytes(bytes, start, end) > 0
          break
        case "candidate":
          candidates.push([known(index), ended])
          index = undefined
          ended = false
          break
        case "blocked":
          isBlocked = textBytes(bytes, start, end) > 0
          break
        case "usage":
          report = reportAt(bytes, start, end)
          break
        case "error":
          isError = bytes[start] === leftBrace
      }
    })
    if (!whole) return
    passed += text
    usage = usageIn(report) ?? usage
    failed ||= isError
    blocked ||= isBlocked
    for (const [at, isEnd] of candidates) ends.set(at, isEnd || ends.get(at) === true)
  }

  const isEnded = () => blocked || (ends.size > 0 && [...ends.values()].every(Boolean))

  const events = follow(({ bytes, from, isError, to }) => {
    failed ||= isError
    look(bytes, from, to)
  })
  const items = followItems(look)
  let isArray: boolean | undefined

  return {
    pass: (piece) => {
      if (isArray === undefined) {
        const start = startOf(piece)
        if (start !== undefined) isArray = start === leftBracket || start === leftBrace
      }
      if (isArray === true) items.push(piece)
      else if (isArray === false) events.pass(piece)
      return piece
    },
    finish: () => {
      events.finish()
      return nothing
    },
    seen: () => ({
      end: failed ? "failed" : (isArray === true ? items.isClosed() : isEnded()) ? "complete" : "open",
      usage,
      textBytes: passed
    })
  }
}
