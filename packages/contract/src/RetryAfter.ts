/** The three formats of an HTTP date. `Date.parse` alone would parse "wait 5" as a day in 2001. */
const httpDate =
  /^[A-Z][a-z]{2,8}(?:, \d{2}[ -][A-Z][a-z]{2}[ -](?:\d{4}|\d{2}) \d{2}:\d{2}:\d{2} GMT| [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/

/**
 * `Retry-After` in milliseconds, from integer or fractional seconds or an HTTP date; a date in the past is zero.
 * Anything else is `undefined`, so that the caller uses its own delay.
 */
export const parse = (value: string | undefined, nowMillis: number): number | undefined => {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), Number.MAX_SAFE_INTEGER)
  if (!httpDate.test(text)) return undefined
  // One of the formats has no time zone; all of them are in UTC.
  const at = Date.parse(text.endsWith(" GMT") ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMillis)
}

/** Rounds up to whole seconds, so that a caller never waits too short. */
export const format = (millis: number): string => String(Math.max(0, Math.ceil(millis / 1000)))

/** SDKs sleep through `Retry-After`, some of them for days. With a longer wait they are told not to repeat the request. */
export const longestMillis = 60_000

const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60]
] as const

/** The wait in words, rounded up, in its two largest units. */
export const words = (millis: number): string => {
  const largest = units.findIndex(([, seconds]) => millis > seconds * 1_000)
  const shown = units.slice(largest === -1 ? -1 : largest).slice(0, 2)
  const step = shown.at(-1)?.[1] ?? 60
  let seconds = Math.ceil(millis / 1_000 / step) * step
  const parts: Array<string> = []
  for (const [unit, length] of shown) {
    const count = Math.floor(seconds / length)
    seconds -= count * length
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? "" : "s"}`)
  }
  return parts.join(" ")
}
