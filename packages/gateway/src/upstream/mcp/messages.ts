import * as Utf8 from "@tollgate/contract/Utf8"
import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Bytes from "effect/Bytes"
import * as Context from "effect/Context"
import type { Progress } from "../../exchange/Exchange.ts"
import { isLarge } from "../../internal/Turns.ts"
import { leftBrace, scanMembers } from "../../internal/jsonScan.ts"
import { getPath, tryParseSmall } from "../../internal/jsonValue.ts"
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

type Range = Readonly<Record<"start" | "end", number>>

const names = ["id", "method", "result"].map(Utf8.encode)
const namesOfResult = ["isError", "content"].map(Utf8.encode)
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

/**
 * Reads a JSON-RPC message of the answer: its result, or the progress that it reports. Returns what Effect's client is to parse in
 * place of a large one, since that would hold others up: a short result, or no message if it is something else.
 */
export function* readMessage(call: CarriedCall, bytes: Uint8Array): Generator<void, Uint8Array> {
  const found: Array<Range | undefined> = []
  const isValid = yield* scanMembers(bytes, 0, bytes.length, names, (name, at) => (found[name] = at))
  const [idAt, method, at] = found
  if (isValid && method !== undefined && call.onProgress !== undefined) {
    const progress = progressIn(tryParseSmall(bytes, 0, bytes.length))
    if (progress !== undefined) call.onProgress(progress)
  }
  if (!isValid || idAt === undefined || at === undefined || method !== undefined) return noMessage
  call.result ??= bytes.slice(at.start, at.end)
  if (!isLarge(bytes)) return bytes
  const id = tryParseSmall(bytes, idAt.start, idAt.end)
  return Utf8.encode(JSON.stringify({ jsonrpc: "2.0", id, result: yield* shortResult(bytes, at) }))
}

export const readSmall = (call: CarriedCall, bytes: Uint8Array): void => {
  const reading = readMessage(call, bytes)
  while (reading.next().done !== true);
}

/** Reads the messages of an event stream and forwards them. The large ones are handed to `onLarge` instead. */
export const messageReader = (call: CarriedCall, maxBytes: number, onLarge: (message: Uint8Array) => void) =>
  filterEvents(({ bytes, from, to }) => {
    const message = bytes.subarray(from, to)
    if (!isLarge(message)) {
      readSmall(call, message)
      return "keep"
    }
    onLarge(message)
    return "drop"
  }, maxBytes)

const data = Utf8.encode("data: ")
const eventEnd = Utf8.encode("\n\n")

export const eventOf = (message: Uint8Array): Uint8Array => Bytes.concat([data, message, eventEnd])

const lineBreaks = /[\r\n]+/g

/** The bytes of a JSON text as one line. In JSON a line break is never inside a string. */
export const oneLine = (json: Uint8Array): string => Utf8.decode(json).replace(lineBreaks, " ")
