import { formatUsd, fromMicros, micro, nano } from "@tollgate/contract/Money"

/** An amount in micro-USD, or what is wrong with its text. */
export type Parsed = { readonly micros: bigint; readonly problem?: never } | { readonly problem: string }

/** A billion USD: the most that the admin API takes, and more than a call can cost. */
const most = 1_000_000_000n

const shape = /^([+\-−]?)(\d*)(?:\.(\d*))?$/

/** A whole number of 10^-places USD. Digits only, so that an amount is never rounded. */
const parseUnits = (text: string, places: number): { readonly units: bigint } | { readonly problem: string } => {
  const trimmed = text.trim().replace(/^\$/, "")
  if (trimmed === "") return { problem: "Enter an amount in USD." }
  if (trimmed.includes(",")) return { problem: "Use a point for decimals and no commas: 1234.5" }
  if (/^[+\-−]?[\d.]+e/i.test(trimmed)) return { problem: "Write all digits, without an exponent: 1000" }
  const [, sign, whole = "", fraction = ""] = shape.exec(trimmed) ?? []
  if (sign === undefined || whole + fraction === "") return { problem: "Write digits, such as 12.50" }
  if (fraction.length > places) {
    return {
      problem: `At most ${places === 6 ? "six" : "nine"} decimals: the smallest amount is 0.${"1".padStart(places, "0")}`
    }
  }
  const units = BigInt(whole + fraction.padEnd(places, "0"))
  if (units > most * 10n ** BigInt(places)) return { problem: "At most 1000000000 USD." }
  return { units: sign === "" || sign === "+" ? units : -units }
}

/** `12345.678901` is exactly that. */
export const parseUsd = (text: string): Parsed => {
  const parsed = parseUnits(text, 6)
  return "units" in parsed ? { micros: parsed.units } : parsed
}

/** The cap of one call, as the gateway takes it: a decimal of at most nine places. */
export const parseCap = (
  text: string
): { readonly usd: string; readonly problem?: never } | { readonly problem: string } => {
  const parsed = parseUnits(text, 9)
  if ("problem" in parsed) return parsed
  return parsed.units < 0n ? { problem: "The amount cannot be below zero." } : { usd: formatUsd(nano(parsed.units)) }
}

/** The text that `parseUsd` reads back exactly. Empty: there is no amount. */
export const usdText = (amount: number | bigint | string | null | undefined): string =>
  amount === null || amount === undefined ? "" : formatUsd(fromMicros(micro(BigInt(amount))))
