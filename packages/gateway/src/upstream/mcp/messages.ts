import * as Utf8 from "@tollgate/contract/Utf8"
import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Bytes from "effect/Bytes"
import * as Context from "effect/Context"
import type { Progress } from "../../exchange/Exchange.ts"
import { isLarge } from "../../internal/Turns.ts"
import { type Edit, splice } from "../../internal/jsonEdit.ts"
import { leftBrace, scanMembers } from "../../internal/jsonScan.ts"
import { getPath, tryParseSmall } from "../../internal/jsonValue.ts"
import { fieldScanner } from "../protocols/fieldScanner.ts"
import { filterEvents } from "../protocols/filterEvents.ts"

/** One call of a tool on its way through Effect's client, which has no place for what is here. */
export interface CarriedCall {
  /** Sent with the call only. */
  readonly headers: Readonly<Record<string, string>>
  /** The arguments as the caller wrote them. Effect's client would round long integers. */
  readonly arguments: string | undefined
  /** `undefined`: nobody asks for progress. */
  readonly onProgress: ((progress: Progress) => void) | undefined
  /** The call itself was passed to the carrier. What follows it are answers to the server, and the cancellation. */
  isSent: boolean
  /** The status of the answer to the call itself. */
  status: number | undefined
  /** Why the carrier failed at the call. */
  notCarried: NotCarried | undefined
  /** The bytes of the `result`, as the server sent them. */
  result: Uint8Array | undefined
}

export const CurrentCall = Context.Reference<CarriedCall | undefined>("@tollgate/gateway/mcp/CurrentCall", {
  defaultValue: () => undefined
})

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

type Range = Readonly<Record<"start" | "end", number>>

const [method, result, error] = [0, 1, 2]
const names = ["method", "result", "error", "params"].map(Utf8.encode)
const namesOfResult = ["isError", "content"].map(Utf8.encode)
const namesOfError = ["code", "message"].map(Utf8.encode)
const leftBracket = 0x5b
const noMessage = Utf8.encode("0")

/** What stands for a result in the message that Effect's client parses. */
function* shortResult(bytes: Uint8Array, { end, start }: Range): Generator<void, object> {
  const short: { isError?: true; content?: [] } = {}
  if (bytes[start] !== leftBrace) return short
  yield* scanMembers(bytes, start, end, namesOfResult, (name, value) => {
    if (name === 1) {
      if (bytes[value.start] === leftBracket) short.content = []
    } else if (Utf8.decode(bytes.subarray(value.start, value.end)).trim() === "true") short.isError = true
  })
  return short
}

function* shortError(bytes: Uint8Array, { end, start }: Range): Generator<void, object> {
  const found: Array<Range> = []
  yield* scanMembers(bytes, start, end, namesOfError, (name, value) => (found[name] = value))
  const [code, message = "its message is too long"] = namesOfError.map((_, name) => {
    const value = found[name]
    return value && tryParseSmall(bytes, value.start, value.end)
  })
  return { code, message }
}

/** A message has each of the names once, and no result beside an error. */
const mostMembers = 3

/** Reads a large message in slices. Returns it without what is long in it: to parse that would hold others up. */
export function* readLargeMessage(call: CarriedCall, bytes: Uint8Array): Generator<void, Uint8Array> {
  const found: Array<readonly [name: number, at: Range]> = []
  const isValid = yield* scanMembers(bytes, 0, bytes.length, names, (name, at) => {
    if (found.length <= mostMembers) found.push([name, at])
  })
  // Its first byte alone is no JSON either.
  if (!isValid) return bytes.subarray(0, 1)
  if (found.length > mostMembers) return noMessage
  const hasMethod = found.some(([name]) => name === method)
  const edits: Array<Edit> = []
  for (const [name, at] of found) {
    if (name === method) continue
    if (name === result && !hasMethod) call.result ??= bytes.slice(at.start, at.end)
    const short = name === result ? yield* shortResult(bytes, at) : name === error ? yield* shortError(bytes, at) : {}
    edits.push({ from: at.start, to: at.end, insert: Utf8.encode(JSON.stringify(short)) })
  }
  const short = splice(bytes, 0, bytes.length, edits)
  return isLarge(short) ? noMessage : short
}

/** Many events may arrive at once, and Effect's client parses all of them. */
const longEvent = 32 * 1024

/** Reads the messages of an event stream and forwards them. The large ones are handed to `onLarge` instead. */
export const messageReader = (call: CarriedCall, maxBytes: number, onLarge: (message: Uint8Array) => void) =>
  filterEvents(({ bytes, from, to }) => {
    const message = bytes.subarray(from, to)
    if (message.length < longEvent) {
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
