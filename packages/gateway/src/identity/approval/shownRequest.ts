import { multipartType } from "@tollgate/contract/Upload"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Decoded } from "../../exchange/Exchange.ts"
import {
  colon,
  comma,
  leftBrace,
  leftBracket,
  quote,
  rightBrace,
  rightBracket,
  skipSpace,
  valueEnd
} from "../../internal/jsonScan.ts"
import { forwardedQuery } from "../../upstream/forwardedQuery.ts"

const longest = 2_000
/** Texts are cut at the first of these lengths at which all of the request is short enough, so that no text hides what follows it. */
const textLengths = [longest, 400, 100, 30]
const longestHeader = 200

/** A person must not take a part for the whole. */
const cutNote = (text: string, most: number): string => ` (the first ${most} of ${text.length} characters)`

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…${cutNote(text, most)}` : text

/** Without characters that are invisible or change the direction of what follows. */
const visible = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => (character === "\n" ? character : "\u{FFFD}"))

const shownText = (json: string, most: number): string => {
  const text = JSON.parse(json) as string
  return text.length > most
    ? `${JSON.stringify(`${text.slice(0, most)}…`)}${cutNote(text, most)}`
    : JSON.stringify(text)
}

/**
 * JSON with each field on a line of its own. It is read from the bytes, because a parsed number can be another one than the upstream
 * gets. What would be cut off anyway is left out.
 */
const shownJson = (bytes: Uint8Array, mostText: number): string => {
  let shown = ""
  let depth = 0
  const line = (): string => `\n${" ".repeat(depth)}`
  let at = skipSpace(bytes, 0)
  while (at < bytes.length && shown.length <= longest) {
    const byte = bytes[at] ?? 0
    let end = at + 1
    if (byte === leftBrace || byte === leftBracket) {
      const next = bytes[skipSpace(bytes, end)]
      depth++
      shown += String.fromCharCode(byte) + (next === rightBrace || next === rightBracket ? "" : line())
    } else if (byte === rightBrace || byte === rightBracket) {
      depth--
      const isEmpty = shown.endsWith("{") || shown.endsWith("[")
      shown += (isEmpty ? "" : line()) + String.fromCharCode(byte)
    } else if (byte === comma) shown += `,${line()}`
    else if (byte === colon) shown += ": "
    else {
      end = valueEnd(bytes, at)
      if (end === -1) break
      const text = Utf8.decode(bytes.subarray(at, end))
      shown += byte === quote ? shownText(text, mostText) : cut(text, mostText)
    }
    at = skipSpace(bytes, end)
  }
  return shown
}

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return Utf8.decodeStrict(bytes)
  } catch {
    return undefined
  }
}

const shownBytes = (bytes: Uint8Array, mostText: number): string => {
  const text = textOf(bytes)
  return text === undefined ? `(${bytes.length} bytes)` : cut(text.replaceAll("\r\n", "\n").trim(), mostText)
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const mostParts = 100

/** The parts of a form, each with its head. A boundary begins a line and has no line in it, so that looking for it is fast. */
const partsOf = (bytes: Uint8Array, boundary: Uint8Array): ReadonlyArray<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  let from = 0
  for (let at = 0; at < bytes.length && parts.length < mostParts; at++) {
    if (bytes[at] !== boundary[0] || (at > 0 && bytes[at - 1] !== lineFeed)) continue
    if (!boundary.every((byte, i) => bytes[at + i] === byte)) continue
    const lineBreak = at === 0 ? 0 : bytes[at - 2] === carriageReturn ? 2 : 1
    parts.push(bytes.subarray(from, Math.max(from, at - lineBreak)))
    from = at + boundary.length
  }
  return [...parts, bytes.subarray(from)]
}

/** Where the head of a part ends. */
const headEnd = (part: Uint8Array): number => {
  let lineStart = 0
  for (let at = 0; at < part.length; at++) {
    if (part[at] !== lineFeed) continue
    const length = at - lineStart
    if (at > 1 && (length === 0 || (length === 1 && part[lineStart] === carriageReturn))) return at + 1
    lineStart = at + 1
  }
  return 0
}

const shownForm = (bytes: Uint8Array, type: string, mostText: number): string => {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return shownBytes(bytes, mostText)
  return partsOf(bytes, Utf8.encode(`--${boundary}`))
    .filter((part) => part.length > 4)
    .map((part) => {
      const end = headEnd(part)
      return `${shownBytes(part.subarray(0, end), mostText)}\n${shownBytes(part.subarray(end), mostText)}`.trim()
    })
    .join("\n")
}

const shownBody = ({ bytes, operation, request }: Decoded, mostText: number): string => {
  const { bodyType } = operation.request
  if (bytes.length === 0) return ""
  if (bodyType === undefined) return `\n${shownJson(bytes, mostText)}`
  const type = request.headers["content-type"] ?? ""
  return `\n${bodyType === multipartType ? shownForm(bytes, type, mostText) : shownBytes(bytes, mostText)}`
}

/** The request, as a person can judge it: all that an upstream gets of it, in short. */
export const shownRequest = (
  exchange: Decoded,
  headers: ReadonlyArray<readonly [name: string, value: string]>
): string => {
  const { bytes, path } = exchange
  const query = forwardedQuery(exchange)
  const address = query === "" ? path : `${path}?${query}`
  const head = [address, ...headers.map(([name, value]) => `${name}: ${cut(value, longestHeader)}`)].join("\n")
  let shown = ""
  for (const mostText of textLengths) {
    shown = head + shownBody(exchange, mostText)
    if (shown.length <= longest) return visible(shown)
  }
  return visible(`${shown.slice(0, longest)}…\n(this is not all: the body has ${bytes.length} bytes)`)
}
