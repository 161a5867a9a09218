import { attempt } from "@tollgate/contract/attempt"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { eventAt, eventEnds, isDeeper, parseJson } from "@tollgate/gateway/endpoint"
import { type Attached, mayHaveMedia, Media, mostBlockBytes, takeMedia } from "./media.ts"
import type { Parts } from "./parts.ts"
import type { Used } from "./shapes.ts"

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0

const shortenText = (text: string, most: number): string => {
  const kept = Math.max(0, most - 40)
  return `${text.slice(0, kept)}… (${text.length - kept} more characters)`
}

const shortenList = (list: ReadonlyArray<unknown>, most: number): ReadonlyArray<unknown> => {
  const kept: Array<unknown> = []
  let left = most - 30
  for (const item of list) {
    const size = sizeOf(item) + 1
    if (size > left) {
      // A list of which not even one item fits shows a part of that.
      if (kept.length === 0 && left > 200) kept.push(shorten(item, left))
      break
    }
    kept.push(item)
    left -= size
  }
  const rest = list.length - kept.length
  return rest === 0 ? kept : [...kept, `… ${rest} more items`]
}

/** Small fields stay whole. The large ones share what is left. */
const shortenFields = (fields: object, most: number): object => {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => ({
    name,
    value,
    size: sizeOf(value) + name.length + 4
  }))
  let left = most
  let share = 0
  const bySize = entries.toSorted((a, b) => a.size - b.size)
  const whole = new Set<string>()
  for (const [index, { name, size }] of bySize.entries()) {
    share = Math.floor(left / (bySize.length - index))
    if (size > share) break
    whole.add(name)
    left -= size
  }
  const shown = entries.flatMap(({ name, value }): ReadonlyArray<readonly [string, unknown]> => {
    if (whole.has(name)) return [[name, value]]
    return share < 60 + name.length ? [] : [[name, shorten(value, share - name.length - 4)]]
  })
  return Object.fromEntries(shown)
}

/**
 * A JSON value in about `most` characters: texts lose their end, lists their last items, and each says how much. What is small
 * stays, so that a model sees how the answer is built.
 */
export function shorten(value: unknown, most: number): unknown {
  if (sizeOf(value) <= most) return value
  if (typeof value === "string") return shortenText(value, most)
  if (Array.isArray(value)) return shortenList(value, most)
  return typeof value === "object" && value !== null ? shortenFields(value, most) : value
}

/** The most bytes of a text that a tool returns to a program. To write more holds others up. */
export const mostTextBytes = 256 * 1024

/** The most bytes of a text that a tool returns to a model, about 16,000 tokens. Clients cut what is longer. */
const usefulBytes = 64 * 1024

/** The most bytes of a stream of events, which hold little text each. */
const mostEventBytes = 1024 * 1024

/** The most bytes of a file that arrives as a stream. */
const mostStreamedBytes = 4 * 1024 * 1024

/** The most bytes of JSON that are parsed, and of JSON with pictures, sounds or files, which are long texts. */
const mostParsedBytes = 1024 * 1024
const mostMediaJsonBytes = 12 * 1024 * 1024

/** Where the first field with a picture, a sound or a file is looked for in large JSON. */
const headBytes = 16 * 1024

export type Shown = Pick<Used, "content_type" | "body_encoding" | "body" | "truncated" | "note" | "attached"> & {
  /** The answer of whose parts `body` is made. */
  readonly whole?: unknown
}

const isJson = /^application\/(?:[\w.-]+\+)?json\b/i
const isEvents = /^text\/event-stream\b/i
const isText = /^(?:text\/|application\/(?:xml|javascript|x-www-form-urlencoded|x-ndjson|yaml)\b)/i

/** `JSON.stringify` is recursive. */
const deepest = 1_000

/** An integer that a JSON parser would round, such as the numeric id of a post. */
const hasLongInteger = (text: string): boolean => /[[:,]\s*-?\d{16,}\s*[,\]}]/.test(text)

/** The JSON value of a text. `undefined`: it is not JSON, or would not be the same after it is written again. */
const exactJson = (text: string): { readonly value: unknown } | undefined => {
  if (hasLongInteger(text) || isDeeper(text, deepest)) return undefined
  return attempt(() => ({ value: JSON.parse(text) as unknown }))
}

const isWritten = (contentType: string): boolean => isJson.test(contentType) || isText.test(contentType)

/** The most bytes of an answer of this type that are kept while it arrives. */
export const mostBytes = (contentType = ""): number => {
  if (isEvents.test(contentType)) return mostEventBytes
  return isWritten(contentType) ? mostTextBytes : mostStreamedBytes
}

/** What the answers of one tool call may have together, in bytes. Those of a batch share it. */
export class Room {
  readonly #each: number
  #text: number
  #media = mostBlockBytes

  constructor(isForProgram: boolean) {
    this.#each = isForProgram ? mostTextBytes : usefulBytes
    this.#text = 4 * this.#each
  }

  /** How many bytes of a text of this type can be returned. */
  take(size: number, contentType: string | undefined): number {
    const most = isEvents.test(contentType ?? "") ? mostEventBytes : this.#each
    const taken = Math.min(size, most, this.#text)
    this.#text -= taken
    return taken
  }

  /** Whether there is room for a block of this size. It takes it. */
  takeBlock(size: number): boolean {
    if (size > this.#media) return false
    this.#media -= size
    return true
  }
}

/** Says what `body` has of an answer of `size` bytes, and that the charge is that of the whole. */
const truncated = (size: number, what: string): Pick<Shown, "truncated" | "note"> => ({
  truncated: true,
  note: `The answer has ${size} bytes${what}. The call ran, and its cost is that of the whole answer.`
})

const truncatedAt = (kept: number, size: number) => truncated(size, `, and body the first ${kept} of them`)

const toGetTheRest = {
  again:
    "To get the rest, send the same call with the same idempotency_key, and name the parts you need in fields: it is not paid twice.",
  less: "To get the rest, ask for less at a time, with a limit, a page or fewer fields if the operation takes them, or call the operation over HTTP, which returns all of it."
}

/** Says how to get what was left out. `isStored`: the same call is answered again without a charge. */
export const withNextStep = <S extends Pick<Shown, "truncated" | "note">>(shown: S, isStored: boolean): S =>
  shown.truncated === true && shown.note !== undefined
    ? { ...shown, note: `${shown.note} ${isStored ? toGetTheRest.again : toGetTheRest.less}` }
    : shown

const shortened = "; long lists and texts in body were shortened, and say by how much"

const base64 = /[A-Za-z0-9+/]{2000,}={0,2}/g

/** A text as far as there is room. What is left of a picture in it helps nobody. */
const shownText = (bytes: Uint8Array, contentType: string, room: Room): Omit<Shown, "content_type"> => {
  const kept = bytes.subarray(0, room.take(bytes.length, contentType))
  const text = Utf8.decode(kept)
  return kept.length === bytes.length
    ? { body_encoding: "text", body: text }
    : {
        body_encoding: "text",
        body: isJson.test(contentType) ? text.replace(base64, (run) => `(${run.length} characters of base64)`) : text,
        ...truncatedAt(kept.length, bytes.length)
      }
}

/** What is attached to an answer, as far as there is room. */
const attachedIn = (room: Room, attached: ReadonlyArray<Attached>): Pick<Shown, "attached"> => {
  for (const one of attached) if (one instanceof Media) one.isBlock = room.takeBlock(one.bytes.length)
  return attached.length === 0 ? {} : { attached }
}

const isParsed = (bytes: Uint8Array): boolean =>
  bytes.length <= mostParsedBytes ||
  (bytes.length <= mostMediaJsonBytes && mayHaveMedia(Utf8.decode(bytes.subarray(0, headBytes))))

const noting = <S extends Pick<Shown, "note">>(shown: S, note: string | undefined): S =>
  note === undefined ? shown : { ...shown, note: shown.note === undefined ? note : `${note} ${shown.note}` }

const notApplied = "fields was not applied, because the answer is not JSON that can be taken apart."

/** A JSON value as a tool returns it: pictures, sounds and files are blocks, and what is too long is shortened. */
const showJson = (
  value: unknown,
  size: number,
  room: Room,
  text?: string,
  parts?: Parts
): Omit<Shown, "content_type"> => {
  if (parts !== undefined) {
    const picked = parts(value)
    const shown = showJson(picked.value, JSON.stringify(picked.value).length, room)
    return { ...noting(shown, picked.note), whole: value }
  }
  const attached: Array<Attached> = []
  const body = text === undefined || mayHaveMedia(text) ? takeMedia(value, attached) : value
  const left = attached.length === 0 ? size : JSON.stringify(body).length
  const taken = room.take(left, undefined)
  return taken === left
    ? { body_encoding: "json", body, ...attachedIn(room, attached) }
    : {
        body_encoding: "json",
        body: shorten(body, taken),
        ...truncated(size, shortened),
        ...attachedIn(room, attached)
      }
}

const shown = (bytes: Uint8Array, contentType: string, room: Room, parts?: Parts): Omit<Shown, "content_type"> => {
  if (!isWritten(contentType)) {
    const media = new Media(bytes, contentType)
    return { body_encoding: "block", body: media, ...attachedIn(room, [media]) }
  }
  const text = isJson.test(contentType) && isParsed(bytes) ? Utf8.decode(bytes) : undefined
  const json = text === undefined ? undefined : exactJson(text)
  return json === undefined
    ? noting(shownText(bytes, contentType, room), parts && notApplied)
    : showJson(json.value, bytes.length, room, text, parts)
}

const isValidJson = (bytes: Uint8Array): boolean => bytes.length <= mostTextBytes && Result.isSuccess(parseJson(bytes))

const dataOf = (text: string): unknown => {
  const json = exactJson(text)
  return json === undefined ? text : json.value
}

/** The data of each event. The end mark of OpenAI's streams is left out. */
const eventsIn = (bytes: Uint8Array): ReadonlyArray<unknown> => {
  const events: Array<unknown> = []
  let from = 0
  for (const to of [...eventEnds()(bytes), bytes.length]) {
    const event = eventAt(bytes, from, to)
    from = to
    if (event === undefined) continue
    const text = Utf8.decode(event.bytes.subarray(event.from, event.to))
    if (text !== "[DONE]") events.push(dataOf(text))
  }
  return events
}

const shownEvents = (bytes: Uint8Array, contentType: string, room: Room, size: number): Omit<Shown, "content_type"> => {
  const kept = bytes.subarray(0, room.take(bytes.length, contentType))
  return {
    body_encoding: "events",
    body: eventsIn(kept),
    ...(size > kept.length ? truncatedAt(kept.length, size) : {})
  }
}

/** The beginning of an answer of `size` bytes. */
const shownCut = (bytes: Uint8Array, contentType: string, room: Room, size: number): Omit<Shown, "content_type"> =>
  isWritten(contentType)
    ? { ...shown(bytes, contentType, room), ...truncatedAt(bytes.length, size) }
    : truncated(size, ", too many to return")

/** Bytes as a tool returns them: events, a JSON value, text, or else a block. The answer had `size` bytes. */
export const show = (
  bytes: Uint8Array,
  contentType: string | undefined,
  room: Room,
  parts?: Parts,
  size = bytes.length
): Shown => {
  const type = contentType === undefined ? {} : { content_type: contentType }
  if (size === 0) return type
  const read = contentType ?? (isValidJson(bytes) ? "application/json" : "application/octet-stream")
  if (isEvents.test(read)) return { ...type, ...shownEvents(bytes, read, room, size) }
  return { ...type, ...(size > bytes.length ? shownCut(bytes, read, room, size) : shown(bytes, read, room, parts)) }
}

export const isFailedResult = (body: unknown): boolean =>
  Predicate.hasProperty(body, "isError") &&
  body.isError === true &&
  Predicate.hasProperty(body, "content") &&
  Array.isArray(body.content)
