import * as Result from "effect/Result"
import { spans } from "../ledger/sums.ts"

/** Milliseconds since the epoch: from `start`, and before `end`. */
export interface Window {
  readonly start: number
  readonly end: number
}

/** Unix seconds, as a caller gives them. */
export interface Asked {
  readonly start_time: number
  readonly end_time?: number | undefined
}

const day = spans[2]
const longest = 366 * day
/** The last moment that a calendar knows; what is later is not a time in seconds. */
const last = 8_640_000_000_000_000

/**
 * The window that is asked for, or what is wrong with it. Without an end it reaches to the end of the second under way,
 * so that a call that has just ended is inside.
 */
export const parse = ({ end_time, start_time }: Asked, now: number): Result.Result<Window, string> => {
  const start = start_time * 1000
  const end = (end_time ?? Math.floor(now / 1000) + 1) * 1000
  if (start <= 0) return Result.fail("start_time: a positive Unix timestamp is expected")
  if (start > last || end > last) return Result.fail("start_time and end_time are Unix timestamps in seconds")
  if (start >= end) return Result.fail("start_time must be before end_time, which is now unless it is given")
  if (end - start > longest) return Result.fail("the window is longer than 366 days")
  return Result.succeed({ start, end })
}

/** The days of the window in UTC, the first and the last cut to it: together they are the window. */
export const days = ({ end, start }: Window): ReadonlyArray<Window> => {
  const first = Math.floor(start / day)
  return Array.from({ length: Math.ceil(end / day) - first }, (_, i) => ({
    start: Math.max(start, (first + i) * day),
    end: Math.min(end, (first + i + 1) * day)
  }))
}

export const dayOf = (millis: number): number => Math.floor(millis / day)

/** A part of a window that whole spans cover; `call`: shorter than any span. */
export interface Piece extends Window {
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

/** The window in as few pieces as there are: whole days, the hours before and after them, the minutes, the rest. */
export const pieces = (window: Window): ReadonlyArray<Piece> => cover(window, spans.length - 1)
