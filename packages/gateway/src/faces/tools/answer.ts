import * as Utf8 from "@tollgate/contract/Utf8"
import * as Result from "effect/Result"
import { parseJson } from "../../internal/parseJson.ts"
import type { Used } from "./shapes.ts"

/** The most bytes of a text that a tool returns. A model can read no more of it, and to write it holds others up. */
export const mostTextBytes = 256 * 1024

/** The most bytes of a stream of events, which hold little text each. */
const mostEventBytes = 1024 * 1024

/** The most bytes of the answers of a batch. */
export const mostBatchBytes = 1024 * 1024

/** A result of up to this many bytes is written at once. */
const shortBytes = 32 * 1024

/** The most bytes of a picture, a recording or a file. */
const mostFileBytes = 1536 * 1024

type Shown = Pick<Used, "content_type" | "body_encoding" | "body" | "truncated" | "note">

const isJson = /^application\/(?:[\w.-]+\+)?json\b/i
export const isEvents = /^text\/event-stream\b/i
const isText = /^(?:text\/|application\/(?:xml|javascript|x-www-form-urlencoded|x-ndjson|yaml)\b)/i

/** `JSON.stringify` is recursive. */
const deepest = 1_000

const isTooDeep = (text: string): boolean => {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 0x5b || char === 0x7b) {
      if (++depth > deepest) return true
    } else if (char === 0x5d || char === 0x7d) depth--
  }
  return false
}

/** An integer that a JSON parser would round, such as the numeric id of a post. */
const hasLongInteger = (text: string): boolean => /[[:,]\s*-?\d{16,}\s*[,\]}]/.test(text)

/** The JSON value of a text. `undefined`: it is not JSON, or would not be the same after it is written again. */
export const exactJson = (text: string): { readonly value: unknown } | undefined => {
  if (hasLongInteger(text) || isTooDeep(text)) return undefined
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

const isWritten = (contentType: string): boolean => isJson.test(contentType) || isText.test(contentType)

/** The most bytes of an answer of this type that a tool returns. */
export const mostBytes = (contentType = ""): number => {
  if (isEvents.test(contentType)) return mostEventBytes
  return isWritten(contentType) ? mostTextBytes : mostFileBytes
}

/** What the answers of one tool call may have together, in bytes. Those of a batch share it. */
export class Room {
  #left: number
  #taken = 0

  constructor(bytes = mostFileBytes) {
    this.#left = bytes
  }

  /** To write this much takes long enough to hold others up. */
  get isMuchTaken(): boolean {
    return this.#taken > shortBytes
  }

  /** How many of the bytes of an answer can be returned. */
  take(size: number, contentType: string | undefined): number {
    const taken = Math.min(size, mostBytes(contentType), this.#left)
    this.#left -= taken
    this.#taken += taken
    return taken
  }
}

/** Says that `body` is not the whole answer of `size` bytes, and that the charge is that of the whole. */
export const truncatedAt = (kept: number, size: number): Pick<Shown, "truncated" | "note"> => ({
  truncated: true,
  note: `The answer has ${size} bytes, and body the first ${kept} of them. The call ran, and its cost is that of the whole answer. Ask for less at a time, or call the operation over HTTP, which returns all of it.`
})

const shown = (bytes: Uint8Array, contentType: string, room: Room): Omit<Shown, "content_type"> => {
  const kept = bytes.subarray(0, room.take(bytes.length, contentType))
  const isWhole = kept.length === bytes.length
  const truncated = isWhole ? {} : truncatedAt(kept.length, bytes.length)
  // `blocksOf` writes bytes as base64, and needs them as they are.
  if (!isWritten(contentType)) return { body_encoding: "base64", body: kept, ...truncated }
  const text = Utf8.decode(kept)
  const json = isJson.test(contentType) && isWhole ? exactJson(text) : undefined
  return json === undefined
    ? { body_encoding: "text", body: text, ...truncated }
    : { body_encoding: "json", body: json.value }
}

const isValidJson = (bytes: Uint8Array): boolean => bytes.length <= mostTextBytes && Result.isSuccess(parseJson(bytes))

/** An answer's bytes as a tool returns them: a JSON value or text where it is one, otherwise the bytes. */
export const show = (bytes: Uint8Array, contentType: string | undefined, room: Room): Shown => {
  if (bytes.length === 0) return contentType === undefined ? {} : { content_type: contentType }
  return contentType === undefined
    ? shown(bytes, isValidJson(bytes) ? "application/json" : "application/octet-stream", room)
    : { content_type: contentType, ...shown(bytes, contentType, room) }
}

/** Whether an answer is the result of an MCP tool that failed. */
export const isFailedResult = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  "isError" in body &&
  body.isError === true &&
  "content" in body &&
  Array.isArray(body.content)
