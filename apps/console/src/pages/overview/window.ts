import { dayName } from "../../ui/times.ts"

export type Width = "1h" | "1d"

/** A span of time, in Unix seconds. */
export interface Span {
  readonly start: number
  readonly end: number
}

export const presets = [
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["month", "This month"]
] as const

export type Preset = (typeof presets)[number][0]

/** A window as an address names it: a preset, or two UTC days, `2026-11-01..2026-11-07`. */
export type Choice = Preset | { readonly from: string; readonly to: string }

const hour = 3_600
const day = 86_400

/** The gateway answers for at most this many days at once. */
const mostDays = 366
/** More bars than this cannot be told apart. */
const mostHourlyDays = 14

const isPreset = (text: string): text is Preset => presets.some(([id]) => id === text)

/** The start of a UTC day. `2026-02-31` is none. */
const dayStart = (text: string): number | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const seconds = Date.parse(`${text}T00:00:00Z`) / 1000
  return Number.isNaN(seconds) || !new Date(seconds * 1000).toISOString().startsWith(text) ? undefined : seconds
}

/** What is wrong with a window of two days, or `undefined`. */
export const wrongDays = (from: string, to: string): string | undefined => {
  const start = dayStart(from)
  const last = dayStart(to)
  if (start === undefined || last === undefined) return "Choose both days."
  if (last < start) return "The first day is after the last."
  return last - start >= mostDays * day ? `Choose at most ${mostDays} days.` : undefined
}

/** The choice in an address. What is not one is the default. */
export const parseChoice = (text: string | undefined): Choice => {
  if (text === undefined) return "7d"
  if (isPreset(text)) return text
  const [from = "", to = ""] = text.split("..")
  return wrongDays(from, to) === undefined ? { from, to } : "7d"
}

export const choiceText = (choice: Choice): string =>
  typeof choice === "string" ? choice : `${choice.from}..${choice.to}`

const after = (seconds: number, unit: number): number => (Math.floor(seconds / unit) + 1) * unit

/** The whole hours or UTC days of a choice. The one that runs now is the last. */
export const spanOf = (choice: Choice, now: number): Span => {
  if (typeof choice !== "string") return { start: dayStart(choice.from) ?? 0, end: (dayStart(choice.to) ?? 0) + day }
  const tomorrow = after(now, day)
  if (choice === "24h") return { start: after(now, hour) - day, end: after(now, hour) }
  if (choice === "7d") return { start: tomorrow - 7 * day, end: tomorrow }
  if (choice === "30d") return { start: tomorrow - 30 * day, end: tomorrow }
  const today = new Date(now * 1000)
  return { start: Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1) / 1000, end: tomorrow }
}

/** The widths of bars that a span can be shown with. */
export const widthsOf = ({ end, start }: Span): ReadonlyArray<Width> =>
  end - start <= day ? ["1h"] : end - start <= mostHourlyDays * day ? ["1h", "1d"] : ["1d"]

/** The wanted width if it fits, and otherwise the one that shows fewer bars. */
export const widthOf = (span: Span, wanted: string | undefined): Width => {
  const widths = widthsOf(span)
  return widths.find((width) => width === wanted) ?? widths.at(-1) ?? "1d"
}

/** The UTC day of a time: `2026-11-16`. */
export const dayText = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

const fullDay = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  month: "short",
  day: "numeric",
  timeZone: "UTC"
})
const fullHour = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit"
})
const onlyHour = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" })
const dayHour = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit" })

/** A day is a UTC day; an hour is one of the reader's clock. */
export const bucketName = (seconds: number, width: Width): string =>
  width === "1d" ? `${fullDay.format(seconds * 1000)} (UTC)` : fullHour.format(seconds * 1000)

export const bucketShort = (seconds: number, width: Width, buckets: number): string =>
  width === "1d" ? dayName(seconds) : (buckets <= 26 ? onlyHour : dayHour).format(seconds * 1000)
