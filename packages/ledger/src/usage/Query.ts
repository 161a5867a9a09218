import * as Result from "effect/Result"
import { spans } from "../ledger/UsageTotals.ts"
import { isTagName, isTagValue } from "@tollgate/contract/Tags"

/** In milliseconds since the epoch. `end` is exclusive. */
export interface Window {
  readonly start: number
  readonly end: number
}

/** The query of a usage report, in Unix seconds. */
export interface WindowQuery {
  readonly start_time: number
  readonly end_time?: number | undefined
}

const day = spans[2]
const maxLength = 366 * day
/** The latest time that `Date` can represent. A later one was probably given in milliseconds. */
const last = 8_640_000_000_000_000

/**
 * The window of a query, or what is wrong with it. By default it ends with the current second, so that it includes a call
 * that has just ended.
 */
export const parse = ({ end_time, start_time }: WindowQuery, now: number): Result.Result<Window, string> => {
  const start = start_time * 1000
  const end = (end_time ?? Math.floor(now / 1000) + 1) * 1000
  if (start <= 0) return Result.fail("start_time: a positive Unix timestamp is expected")
  if (start > last || end > last) return Result.fail("start_time and end_time are Unix timestamps in seconds")
  if (start >= end) return Result.fail("start_time must be before end_time, which is now unless it is given")
  if (end - start > maxLength) return Result.fail("the window is longer than 366 days")
  return Result.succeed({ start, end })
}

/** The UTC days of the window. The first and the last are cut to fit it. */
export const days = ({ end, start }: Window): ReadonlyArray<Window> => {
  const first = Math.floor(start / day)
  return Array.from({ length: Math.ceil(end / day) - first }, (_, i) => ({
    start: Math.max(start, (first + i) * day),
    end: Math.min(end, (first + i + 1) * day)
  }))
}

export const wholeDays = ({ end, start }: Window): Window => ({
  start: Math.floor(start / day) * day,
  end: Math.ceil(end / day) * day
})

export const dayOf = (millis: number): number => Math.floor(millis / day)

/** A part of a window that whole buckets of `span` cover. `call`: shorter than a minute, read from single calls. */
interface Piece extends Window {
  readonly span: (typeof spans)[number] | "call"
}

const cover = ({ end, start }: Window, level: number): ReadonlyArray<Piece> => {
  if (start >= end) return []
  const span = spans[level]
  if (span === undefined) return [{ span: "call", start, end }]
  const from = Math.ceil(start / span) * span
  const to = Math.floor(end / span) * span
  if (from >= to) return cover({ start, end }, level - 1)
  return [
    ...cover({ start, end: from }, level - 1),
    { span, start: from, end: to },
    ...cover({ start: to, end }, level - 1)
  ]
}

/** Covers the window with as few buckets as possible: whole days, then hours, then minutes, then single calls. */
export const pieces = (window: Window): ReadonlyArray<Piece> => cover(window, spans.length - 1)

/** A key, or a whole account if no key is named. */
export interface Owner {
  readonly account: string
  readonly key?: string | undefined
  /** The first of the key's rotations, if all of them are meant. Reports are of one key. */
  readonly rootKey?: string | undefined
}

/** An owner, or the whole gateway if no account is named. */
export interface TagOwner extends Omit<Owner, "account"> {
  readonly account?: string | undefined
}

/** The query of a series, in Unix seconds. */
export interface SeriesQuery extends WindowQuery {
  /** By hour the window has at most 31 days, by day at most 366. Default: by hour up to two days, otherwise by day. */
  readonly width?: "1h" | "1d" | undefined
}

export interface TagUsageQuery extends SeriesQuery {
  /** `team`: by its values. `team=search`: only these calls. Default: all tags by name. */
  readonly tag?: string | undefined
}

/** A tag that is asked for: `team=search`, or `team` with any value. */
export interface TagQuery {
  readonly name: string
  readonly value: string | undefined
}

/** `undefined` if the text is no tag. */
export const parseTag = (text: string): TagQuery | undefined => {
  const at = text.indexOf("=")
  const name = at === -1 ? text : text.slice(0, at)
  const value = at === -1 ? undefined : text.slice(at + 1)
  return isTagName(name) && (value === undefined || isTagValue(value)) ? { name, value } : undefined
}
