import { divideHalfUp } from "@tollgate/contract/Money"
import { familyOf } from "@tollgate/contract/price/modelFamily"
import { details, kinds } from "@tollgate/contract/price/TokenKind"
import { type Cell, wrongAt } from "./exportFile.ts"

const places = 21
/** Amounts of exports are added with 21 decimals, since they have more than nine, and rounded once. */
const one = 10n ** BigInt(places)
const perNano = one / 1_000_000_000n

const decimal = /^([+-]?)(\d{1,30})?(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,2}))?$/

/** A number from its digits, in units of 10^-21. Digits beyond are rounded. */
export const exactOf = (text: string): bigint | undefined => {
  const match = decimal.exec(text)
  const [, sign = "", digits = "", fraction = "", exponent = "0"] = match ?? []
  if (match === null || digits + fraction === "") return undefined
  const shift = places - fraction.length + Number(exponent)
  const all = BigInt(digits + fraction)
  const exact = shift >= 0 ? all * 10n ** BigInt(shift) : divideHalfUp(all, 10n ** BigInt(-shift))
  return sign === "-" ? -exact : exact
}

export const nanoOf = (exact: bigint): bigint => divideHalfUp(exact, perNano)
export const countOf = (exact: bigint): bigint => divideHalfUp(exact, one)

export const numberIn = (cell: Cell): bigint => {
  const exact = exactOf(cell.text)
  if (exact === undefined) throw wrongAt(cell.at, `expected a number such as 12.5, found ${shown(cell.text)}`)
  return exact
}

/** A count from an export, in units of 10^-21. */
export const countIn = (cell: Cell): bigint => {
  const exact = numberIn(cell)
  if (exact < 0n) throw wrongAt(cell.at, `a count below zero: ${shown(cell.text)}`)
  return exact
}

export const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** Milliseconds since the epoch. Without a zone, a time is UTC; digits are seconds since the epoch. */
export const timeIn = (cell: Cell): number => {
  const { text } = cell
  const seconds = /^\d+(?:\.\d+)?(?:[eE]\+?\d+)?$/.test(text) ? Number(text) * 1000 : Number.NaN
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|UTC|[+-]\d{2}:?\d{2})?)?$/.exec(text)
  const [, day = "", time = "00:00", zone = "Z"] = match ?? []
  const millis = match === null ? seconds : Date.parse(`${day}T${time}${zone === "UTC" ? "Z" : zone}`)
  if (!(millis > 0 && millis < 253_402_300_800_000) || (match !== null && !isDay(day))) {
    throw wrongAt(cell.at, `expected a day such as 2026-11-30 or a time in UTC, found ${shown(text)}`)
  }
  return Math.floor(millis)
}

const isDay = (day: string): boolean => {
  const millis = Date.parse(day)
  return !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(day)
}

export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** By what a model is the same in two places: `gpt-6-astra-2026-08-01`, `Claude Opus 5.5` and `claude-opus-5-5` lose dates, case and dots. */
export const modelKey = (name: string): string =>
  familyOf(
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_]+/g, "-")
  ).replaceAll(".", "-")

/** `cacheRead` is `cache_read` in what is printed. */
export const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The kinds that tokens are counted by, and those within them. */
export const tokenKinds: ReadonlySet<string> = new Set([...Object.keys(kinds), ...Object.keys(details)].map(snake))

/** The kind that a provider's words mean, such as `cached input tokens` or `input_cache_write_1h`. */
export const kindOf = (words: string): string => {
  const plain = words
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ")
    .trim()
  const isCache = /cach/.test(plain) && !/uncached|no cache|non cached/.test(plain)
  if (isCache && /write|written|creation/.test(plain)) {
    return /\b(?:1h|12h|1 ?hour|12 ?hours|long)\b/.test(plain) ? "cache_write_long" : "cache_write"
  }
  if (isCache) return "cache_read"
  if (/web ?search/.test(plain)) return "web_search"
  if (/file ?search/.test(plain)) return "file_search"
  if (/output|completion|reasoning|thinking/.test(plain)) return "output"
  if (/input|prompt/.test(plain)) return "input"
  return plain.replaceAll(" ", "_")
}
