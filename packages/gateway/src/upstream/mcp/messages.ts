import * as Utf8 from "@tollgate/contract/Utf8"
import { fieldScanner } from "../protocols/fieldScanner.ts"
import { getPath, tryParseSmall } from "../../internal/jsonValue.ts"
import { observeEvents } from "../protocols/filterEvents.ts"
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

/** Reads the messages of an event stream. */
export const messageReader = (call: CarriedCall, maxBytes: number) =>
  observeEvents(({ bytes, from, to }) => readMessage(call, bytes, from, to), maxBytes)

const lineBreaks = /[\r\n]+/g

/** The bytes of a JSON text as one line. In JSON a line break is never inside a string. */
export const oneLine = (json: Uint8Array): string => Utf8.decode(json).replace(lineBreaks, " ")
