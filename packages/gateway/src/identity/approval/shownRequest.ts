import { attempt } from "@tollgate/contract/attempt"
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

/** In characters, and a text in bytes. Nobody is asked to approve a longer request. */
export const longestShown = 1_000_000
const tooLong = Symbol()

/** Work between two turns of the event loop, in characters. Each piece adds some, however short it is. */
const longestSlice = 100_000
const perPiece = 20

/** A text of base64 that is longer counts as a file if the request is too long otherwise. Words could look the same. */
const shortestFile = 10_000

const dataUrl = /^data:[\w.+-]+\/[\w.+-]+;base64,/

/** Reads a long text in slices. */
function* isBase64(bytes: Uint8Array): Generator<string, boolean> {
  for (let at = 0; at < bytes.length; at += longestShown) {
    const text = Utf8.decode(bytes.subarray(at, at + longestShown))
    if (!/^[A-Za-z0-9+/=]*$/.test(at === 0 ? text.replace(dataUrl, "") : text)) return false
    yield ""
  }
  return true
}

/** Without characters that are invisible or change the direction of what follows. */
const visible = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => (character === "\n" ? character : "\u{FFFD}"))

type Pieces = Generator<string | typeof tooLong>

/** A long text in pieces, which no character is cut by. */
function* piecesOf(text: string): Pieces {
  for (let at = 0; at < text.length;) {
    const end = at + longestSlice
    const next = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end + 1 : end
    yield text.slice(at, next)
    at = next
  }
}

function* shownText(json: Uint8Array, asFiles: boolean): Pieces {
  const inside = json.subarray(1, -1)
  if (asFiles && inside.length >= shortestFile && (yield* isBase64(inside))) {
    const ends = [inside.subarray(0, 100), inside.subarray(-20)].map(Utf8.decode)
    yield `"${ends.join("…")}" (a file in base64, ${inside.length} characters)`
  } else if (json.length > longestShown) yield tooLong
  else yield* piecesOf(JSON.stringify(JSON.parse(Utf8.decode(json))))
}

/** JSON with each field on a line of its own. It is read from the bytes, because a parsed number can be another one than the upstream gets. */
function* shownJson(bytes: Uint8Array, asFiles: boolean): Pieces {
  let depth = 0
  let isOpened = false
  const line = (): string => `\n${" ".repeat(depth)}`
  let at = skipSpace(bytes, 0)
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    let end = at + 1
    const wasOpened = isOpened
    isOpened = byte === leftBrace || byte === leftBracket
    if (isOpened) {
      const next = bytes[skipSpace(bytes, end)]
      depth++
      yield String.fromCharCode(byte) + (next === rightBrace || next === rightBracket ? "" : line())
    } else if (byte === rightBrace || byte === rightBracket) {
      depth--
      yield (wasOpened ? "" : line()) + String.fromCharCode(byte)
    } else if (byte === comma) yield `,${line()}`
    else if (byte === colon) yield ": "
    else {
      end = valueEnd(bytes, at)
      if (end === -1) break
      const value = bytes.subarray(at, end)
      if (byte === quote) yield* shownText(value, asFiles)
      else yield* piecesOf(Utf8.decode(value))
    }
    at = skipSpace(bytes, end)
  }
}

const textOf = (bytes: Uint8Array): string | undefined => attempt(() => Utf8.decodeStrict(bytes))

function* shownBytes(bytes: Uint8Array): Pieces {
  const text = textOf(bytes)
  if (text === undefined) yield `(${bytes.length} bytes)`
  else if (bytes.length > longestShown) yield tooLong
  else yield* piecesOf(text.replaceAll("\r\n", "\n").trim())
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

function* shownForm(bytes: Uint8Array, type: string): Pieces {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(type) ?? []
  const boundary = quoted ?? plain
  const parts = boundary === undefined ? [bytes] : partsOf(bytes, Utf8.encode(`--${boundary}`))
  let isFirst = true
  for (const part of parts.filter(({ length }) => length > 4)) {
    const end = boundary === undefined ? 0 : headEnd(part)
    for (const lines of [part.subarray(0, end), part.subarray(end)]) {
      if (lines.length === 0) continue
      if (!isFirst) yield "\n"
      isFirst = false
      yield* shownBytes(lines)
    }
  }
}

function* shownBody({ bytes, operation, request }: Decoded, asFiles: boolean): Pieces {
  const { bodyType } = operation.request
  if (bytes.length === 0) return
  yield "\n"
  if (bodyType === undefined) yield* shownJson(bytes, asFiles)
  else if (bodyType === multipartType) yield* shownForm(bytes, request.headers["content-type"] ?? "")
  else yield* shownBytes(bytes)
}

/** The request, as a person can judge it: all that an upstream gets of it, made in slices. Undefined if that is too long. */
export function* shownRequest(
  exchange: Decoded,
  headers: ReadonlyArray<readonly [name: string, value: string]>
): Generator<void, string | undefined> {
  const query = forwardedQuery(exchange)
  const address = query === "" ? exchange.path : `${exchange.path}?${query}`
  const head = visible([address, ...headers.map(([name, value]) => `${name}: ${value}`)].join("\n"))
  for (const asFiles of [false, true]) {
    let shown = head
    let next = ""
    let work = 0
    let isTooLong = false
    for (const piece of shownBody(exchange, asFiles)) {
      isTooLong = piece === tooLong || shown.length + next.length > longestShown
      if (piece === tooLong || isTooLong) break
      next += piece
      work += piece === "" ? longestSlice : piece.length + perPiece
      if (work < longestSlice) continue
      shown += visible(next)
      next = ""
      work = 0
      yield
    }
    if (!isTooLong && shown.length + next.length <= longestShown) return shown + visible(next)
    yield
  }
  return undefined
}

/** A request that is not longer is shown as it is. */
const longest = 2_000
const longLine = /[^\n]{401,}/g
/** More than that of the beginning and of the end is never shown in short. */
const longestEnd = 20_000

const ends = (text: string, first: number, last: number, between = " … "): string =>
  text.slice(0, first).toWellFormed() + between + text.slice(-last).toWellFormed()

interface Part {
  readonly text: string
  /** Stands for a long line, so that it does not hide what comes after it. */
  readonly short?: string
}

/** A request, apart by its long lines. */
export const partsInShort = (request: string): ReadonlyArray<Part> => {
  if (request.length <= longest) return [{ text: request }]
  const parts: Array<Part> = []
  let from = 0
  for (const { 0: text, index } of request.matchAll(longLine)) {
    parts.push({ text: request.slice(from, index) }, { text, short: ends(text, 280, 80) })
    from = index + text.length
  }
  return [...parts, { text: request.slice(from) }]
}

/** A request where there is no room for all of it: the beginning and the end of each long line, and of all. */
export const inShort = (request: string): string => {
  if (request.length <= longest) return request
  const some = request.length > 2 * longestEnd ? ends(request, longestEnd, longestEnd, "\n…\n") : request
  const shown = partsInShort(some)
    .map(({ short, text }) => short ?? text)
    .join("")
  const note = `\n(this is not all of ${request.length} characters)`
  return (shown.length > longest ? ends(shown, longest - 400, 300, "\n…\n") : shown) + note
}
