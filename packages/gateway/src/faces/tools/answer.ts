import * as Utf8 from "@tollgate/contract/Utf8"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { parseJson } from "../../internal/parseJson.ts"
import type { Used } from "./shapes.ts"

/** The most bytes of an answer that a tool returns. */
export const mostBytes = 4 * 1024 * 1024

/** Larger JSON stays text: to parse it and write it again would hold others up. */
const mostJsonBytes = 1024 * 1024

type Shown = Pick<Used, "content_type" | "body_encoding" | "body" | "truncated">

const isJson = /^application\/(?:[\w.-]+\+)?json\b/i
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

const cut = (bytes: Uint8Array): string => Utf8.decode(bytes.subarray(0, mostBytes))

const shown = (bytes: Uint8Array, contentType: string): Omit<Shown, "content_type"> => {
  const truncated = bytes.length > mostBytes ? { truncated: true } : {}
  if (!isJson.test(contentType) && !isText.test(contentType)) {
    return { body_encoding: "base64", body: Base64.encode(bytes.subarray(0, mostBytes)), ...truncated }
  }
  const text = cut(bytes)
  const json = isJson.test(contentType) && bytes.length <= mostJsonBytes ? exactJson(text) : undefined
  return json === undefined
    ? { body_encoding: "text", body: text, ...truncated }
    : { body_encoding: "json", body: json.value }
}

/** An answer's bytes as a tool returns them: a JSON value or text where it is one, otherwise base64. */
export const show = (bytes: Uint8Array, contentType: string | undefined): Shown => {
  if (bytes.length === 0) return contentType === undefined ? {} : { content_type: contentType }
  return contentType === undefined
    ? shown(bytes, Result.isSuccess(parseJson(bytes)) ? "application/json" : "application/octet-stream")
    : { content_type: contentType, ...shown(bytes, contentType) }
}

/** Whether an answer is the result of an MCP tool that failed. */
export const isFailedResult = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  "isError" in body &&
  body.isError === true &&
  "content" in body &&
  Array.isArray(body.content)
