import type { Span } from "./window.ts"

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60]
] as const

const years10 = 10 * 365 * 86_400

/** How long an amount lasts at the rate of a window: `about 12 days`. `undefined`: nothing was spent, or nothing is left. */
export const lasts = (left: bigint, charged: bigint, { end, start }: Span, now: number): string | undefined => {
  const passed = BigInt(Math.max(1, Math.floor(Math.min(end, now)) - start))
  if (charged <= 0n || left <= 0n) return undefined
  const seconds = Number((left * passed) / charged)
  if (seconds > years10) return "more than 10 years"
  const [unit, size] = units.find(([, size]) => seconds >= 2 * size) ?? units[2]
  const whole = Math.max(1, Math.floor(seconds / size))
  return `about ${number.format(whole)} ${unit}${whole === 1 ? "" : "s"}`
}
