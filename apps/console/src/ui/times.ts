import { useEffect, useState } from "react"

const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" })
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" })
const hour = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" })

export const fullTime = (at: string | number): string => full.format(new Date(at))
export const dateOnly = (at: string): string => date.format(new Date(at))
export const clockTime = (at: string | number): string => clock.format(new Date(at))
export const dayName = (seconds: number): string => day.format(seconds * 1000)
export const hourName = (seconds: number): string => hour.format(seconds * 1000)

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000]
] as const

/** `3 minutes ago`. */
export const ago = (at: string | number, now: number): string => {
  const difference = new Date(at).getTime() - now
  const [unit, size] = units.find(([, size]) => Math.abs(difference) >= size) ?? (["second", 1_000] as const)
  return relative.format(Math.trunc(difference / size), unit)
}

/** `840 ms`, `2.4 s`, `3 min 5 s`. */
export const duration = (millis: number): string => {
  if (millis < 1_000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${(millis / 1_000).toFixed(1)} s`
  return `${Math.floor(millis / 60_000)} min ${Math.round((millis % 60_000) / 1_000)} s`
}

/** The time, again and again, for what counts down or ages in view. */
export const useNow = (everyMillis: number): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMillis)
    return () => clearInterval(timer)
  }, [everyMillis])
  return now
}
