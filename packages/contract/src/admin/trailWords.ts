import type { TrailEntry } from "./Trail.ts"

const amounts: ReadonlySet<string> = new Set([
  "amount",
  "ask_above",
  "below",
  "budget",
  "day_budget",
  "month_budget",
  "month_limit"
])

const isWhole = (value: unknown): boolean => /^-?\d{1,30}$/.test(String(value))

const wordOf = (name: string, value: unknown, usd: (micros: bigint) => string): string => {
  if (value === null || value === undefined) return "none"
  if (Array.isArray(value))
    return value.every((one) => typeof one === "string") ? value.join("; ") : String(value.length)
  if (typeof value === "object") return JSON.stringify(value)
  if (isWhole(value)) {
    if (amounts.has(name)) return usd(BigInt(String(value)))
    if (name === "multiplier") return `×${Number(value) / 1_000_000}`
    if (name.endsWith("_at")) return new Date(Number(value)).toISOString()
  }
  return String(value)
}

const partsOf = (side: unknown): Readonly<Record<string, unknown>> =>
  typeof side === "object" && side !== null ? { ...side } : side === null || side === undefined ? {} : { is: side }

/** What an entry of the trail says, for people: `label k, budget none → 9 USD`. */
export const changeWords = (
  { after, before }: Partial<Pick<TrailEntry, "after" | "before">>,
  usd: (micros: bigint) => string
): string => {
  const [was, is] = [partsOf(before), partsOf(after)]
  return Object.keys({ ...was, ...is })
    .filter((name) => (was[name] ?? is[name] ?? null) !== null)
    .map((name) => {
      const words = `${name.replaceAll("_", " ")} ${name in was ? `${wordOf(name, was[name], usd)} → ` : ""}`
      return words + wordOf(name, is[name], usd)
    })
    .join(", ")
}
