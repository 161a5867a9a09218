import { dayName } from "../../ui/times.ts"
import type { Width } from "./window.ts"

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
