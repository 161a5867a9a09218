import * as Utf8 from "@tollgate/contract/Utf8"
import type { Json } from "@tollgate/protocols/json"
import { backslash, colon, quote } from "../../internal/jsonScan.ts"
import { tryParse } from "../../internal/jsonValue.ts"
import { lengthOf, type Tally } from "./Tally.ts"

/** A longer event is not kept. */
const mostBytes = 2 * 1024

/** After so many events, none of which is like the one before, no more are compared. */
const mostOthers = 6

const space = 0x20

/** Where a string ends: its closing quote. -1: it has none, or is not valid. */
const closing = (bytes: Uint8Array, from: number, to: number): number => {
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0
    if (byte === quote) return i
    if (byte === backslash) i++
    else if (byte < space) return -1
  }
  return -1
}

/** The bytes of a string's text. -1: it is not valid. */
const bytesOf = (bytes: Uint8Array, from: number, to: number): number => {
  let i = from
  while (i < to && bytes[i] !== backslash && (bytes[i] ?? 0) < 0x80) i++
  if (i === to) return to - from
  const text = tryParse(bytes.subarray(from - 1, to + 1))
  return text === undefined ? -1 : lengthOf(text)
}

/** OpenAI adds strings of any length, so that the length of an event does not tell its text. */
const padding = Utf8.encode('"obfuscation":"')
const isPadding = (bytes: Uint8Array, from: number): boolean =>
  padding.every((byte, i) => bytes[from - padding.length + i] === byte)

/** A string of an event, from after its opening quote to the closing one, that differs from the event before. */
interface Difference {
  readonly from: number
  readonly to: number
  /** The bytes of both texts. */
  readonly before: number
  readonly after: number
}

/** `undefined`: the other event differs in more than the strings that its members are. */
const differences = (
  event: Uint8Array,
  other: Uint8Array,
  from: number,
  to: number
): ReadonlyArray<Difference> | undefined => {
  const found: Array<Difference> = []
  let opened = -1
  let isMember = false
  let last = 0
  let i = 0
  let at = from
  for (; i < event.length && at < to; i++, at++) {
    const byte = event[i] ?? 0
    if (byte !== other[at]) {
      if (opened === -1 || !isMember) return undefined
      const start = at - i + opened
      const [closed, end] = [closing(event, opened, event.length), closing(other, start, to)]
      if (end === -1) return undefined
      const before = bytesOf(event, opened, closed)
      found.push({ from: start - from, to: end - from, before, after: bytesOf(other, start, end) })
      i = closed
      at = end
      opened = -1
    } else if (byte === quote) {
      isMember = last === colon
      opened = opened === -1 ? i + 1 : -1
    } else if (opened === -1) {
      if (byte > space) last = byte
    } else if (byte === backslash && event[i + 1] === other[at + 1]) {
      i++
      at++
    }
  }
  return i === event.length && at === to ? found : undefined
}

/**
 * Counts events without parsing them that differ from the one before in their text only. Two events prove it: the second told the
 * tally nothing but text, and each as many bytes of it as the one string has that differs. `add` parses and adds an event; what
 * is returned adds it too, and returns the event or one that is the same but for its text.
 */
export const repeatedEvents = (
  tally: Tally,
  add: (bytes: Uint8Array, from: number, to: number) => Json | undefined
): typeof add => {
  let kept: Uint8Array | undefined
  let event: Json | undefined
  /** The bytes of text that it added. */
  let added = 0
  /** The strings that may differ, and which of them is the text. */
  let strings: ReadonlyArray<Difference> | undefined
  let text: Difference | undefined
  let others = 0

  /** The bytes of text in an event like the one that is kept. -1: it is another one. */
  const textIn = (
    kept: Uint8Array,
    strings: ReadonlyArray<Difference>,
    bytes: Uint8Array,
    from: number,
    to: number
  ) => {
    let said = added
    let i = 0
    let at = from
    for (const string of strings) {
      while (i < string.from) if (kept[i++] !== bytes[at++]) return -1
      const end = closing(bytes, at, to)
      const length = end === -1 ? -1 : bytesOf(bytes, at, end)
      if (length === -1) return -1
      if (string === text) said = length
      at = end
      i = string.to
    }
    while (i < kept.length) if (kept[i++] !== bytes[at++]) return -1
    return at === to ? said : -1
  }
  return (bytes, from, to) => {
    if (kept !== undefined && strings !== undefined) {
      const said = textIn(kept, strings, bytes, from, to)
      if (said !== -1) {
        tally.textBytes += said
        return event
      }
    }
    if (others > mostOthers) return add(bytes, from, to)
    const found = kept && differences(kept, bytes, from, to)
    others = found === undefined ? others + 1 : 0
    const told = found && tally.told
    const { textBytes } = tally
    const before = added
    event = add(bytes, from, to)
    added = tally.textBytes - textBytes
    kept = event !== undefined && to - from <= mostBytes && others <= mostOthers ? bytes.slice(from, to) : undefined
    strings = undefined
    if (found === undefined || before + added === 0 || told !== tally.told) return event
    const [string, another] = found.filter((each) => !isPadding(bytes, from + each.from))
    const isText = string?.before === before && string.after === added && before !== added
    if (another === undefined && (string === undefined ? before === added : isText)) strings = found
    text = string
    return event
  }
}
