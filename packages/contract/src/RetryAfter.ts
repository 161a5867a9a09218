/** The three forms of an HTTP date. `Date.parse` alone would read "wait 5" as a day of 2001. */
const httpDate =
  /^[A-Z][a-z]{2,8}(?:, \d{2}[ -][A-Z][a-z]{2}[ -](?:\d{4}|\d{2}) \d{2}:\d{2}:\d{2} GMT| [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/

/**
 * `Retry-After` in milliseconds: whole or fractional seconds, or an HTTP date. A date in the past is zero; anything else
 * is `undefined`, so that a caller falls back to its own delay.
 */
export const parse = (value: string | undefined, nowMillis: number): number | undefined => {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), Number.MAX_SAFE_INTEGER)
  if (!httpDate.test(text)) return undefined
  // One of the forms names no zone; all of them are in UTC.
  const at = Date.parse(text.endsWith(" GMT") ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMillis)
}

/** Whole seconds, rounded up: a caller that waits this long has waited long enough. */
export const format = (millis: number): string => String(Math.max(0, Math.ceil(millis / 1000)))
