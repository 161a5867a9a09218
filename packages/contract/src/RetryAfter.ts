/**
 * `Retry-After` in milliseconds: whole or fractional seconds, or an HTTP date. A date in the past is zero; anything else
 * is `undefined`, so that a caller falls back to its own delay.
 */
export const parse = (value: string | undefined, nowMillis: number): number | undefined => {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d{1,10}(\.\d{1,6})?$/.test(text)) return Math.ceil(Number(text) * 1000)
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMillis)
}

/** Whole seconds, rounded up: a caller that waits this long has waited long enough. */
export const format = (millis: number): string => String(Math.max(0, Math.ceil(millis / 1000)))
