import * as Utf8 from "@tollgate/contract/Utf8"
import { fieldScanner } from "../protocols/fieldScanner.ts"
import { getPath, tryParseSmall } from "../../internal/jsonValue.ts"
import * as Bytes from "effect/Bytes"
import { splice } from "../../internal/jsonEdit.ts"
import { leftBrace } from "../../internal/jsonScan.ts"
import { scanMembers } from "../../internal/memberScan.ts"
import { isLarge } from "../../internal/Turns.ts"
import { filterEvents } from "../protocols/filterEvents.ts"
import type { CarriedCall } from "./CarriedCall.ts"
import type { Progress } from "../../exchange/Exchange.ts"

const scan = fieldScanner<"method" | "result">({ members: { method: { tag: "method" }, result: { tag: "result" } } })

/** The token of every call: progress arrives in the answer to the request that asked for it. */
export const progressToken = 1

const mostMessage = 1_000

const progressIn = (message: unknown): Progress | undefined => {
  if (getPath(message, "method") !== "notifications/progress") return undefined
  const [token, progress, total, text] = ["progressToken", "progress", "total", "message"].map((name) =>
    getPath(message, "params", name)
  )
  if (token !== progressToken || typeof progress !== "number") return undefined
  return {
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof text === "string" ? { message: text.slice(0, mostMessage) } : {})
  }
}

/** Reads a JSON-RPC message of the answer: its result, or the progress that it reports. */
export const readMessage = (call: CarriedCall, bytes: Uint8Array, from = 0, to = bytes.length): void => {
  let result: Uint8Array | undefined
  let hasMethod = false
  const isValid = scan(bytes, from, to, (tag, start, end) => {
    if (tag === "method") hasMethod = true
    else result = bytes.slice(start, end)
  })
  if (!isValid) return
  if (!hasMethod) call.result ??= result
  else if (call.onProgress !== undefined) {
    const progress = progressIn(tryParseSmall(bytes, from, to))
    if (progress !== undefined) call.onProgress(progress)
  }
}

const names = ["method", "result"].map(Utf8.encode)
const namesOfResult = ["isError", "content"].map(Utf8.encode)
const leftBracket = 0x5b

/** Reads a large message in slices. Returns it without its result: to parse that would hold others up. */
export function* readLargeMessage(call: CarriedCall, bytes: Uint8Array): Generator<void, Uint8Array> {
  let result: readonly [start: number, end: number] | undefined
  let hasMethod = false
  const isValid = yield* scanMembers(bytes, 0, bytes.length, names, (name, { end, start }) => {
    if (name === 0) hasMethod = true
    else result = [start, end]
  })
  if (!isValid || hasMethod || result === undefined) return bytes
  const [start, end] = result
  call.result ??= bytes.slice(start, end)
  if (bytes[start] !== leftBrace) return bytes
  // What stands for the result in the message that Effect's client parses.
  const short: { isError?: true; content?: [] } = {}
  yield* scanMembers(bytes, start, end, namesOfResult, (name, value) => {
    if (name === 1) {
      if (bytes[value.start] === leftBracket) short.content = []
    } else if (Utf8.decode(bytes.subarray(value.start, value.end)).trim() === "true") short.isError = true
  })
  return splice(bytes, 0, bytes.length, [{ from: start, to: end, insert: Utf8.encode(JSON.stringify(short)) }])
}

/** Reads the messages of an event stream and forwards them. The large ones are handed to `onLarge` instead. */
export const messageReader = (call: CarriedCall, maxBytes: number, onLarge: (message: Uint8Array) => void) =>
  filterEvents(({ bytes, from, to }) => {
    const message = bytes.subarray(from, to)
    if (!isLarge(message)) {
      readMessage(call, bytes, from, to)
      return "keep"
    }
    onLarge(message)
    return "drop"
  }, maxBytes)

const data = Utf8.encode("data: ")
const eventEnd = Utf8.encode("\n\n")

/** The message as an event. */
export const eventOf = (message: Uint8Array): Uint8Array => Bytes.concat([data, message, eventEnd])

const lineBreaks = /[\r\n]+/g

/** The bytes of a JSON text as one line. In JSON a line break is never inside a string. */
export const oneLine = (json: Uint8Array): string => Utf8.decode(json).replace(lineBreaks, " ")
