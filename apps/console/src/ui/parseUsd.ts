import { formatUsd, fromMicros, micro, nano } from "@tollgate/contract/Money"

/** What is wrong with a text. */
export class Wrong {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** A billion USD: the most that the admin API takes, and more than a call can cost. */
const most = 1_000_000_000n

const shape = /^([+\-−]?)(\d*)(?:\.(\d*))?$/

/** A whole number of 10^-places USD. Digits only, so that an amount is never rounded. */
const parseUnits = (text: string, places: number): bigint | Wrong => {
  const trimmed = text.trim().replace(/^\$/, "")
  if (trimmed.includes(",")) return new Wrong("Use a point for decimals and no commas: 1234.5")
  if (/^[+\-−]?[\d.]+e/i.test(trimmed)) return new Wrong("Write all digits, without an exponent: 1000")
  const [, sign, whole = "", fraction = ""] = shape.exec(trimmed) ?? []
  if (sign === undefined || whole + fraction === "") return new Wrong("Write digits, such as 12.50")
  if (fraction.length > places) {
    const name = places === 6 ? "six" : "nine"
    return new Wrong(`At most ${name} decimals: the smallest amount is 0.${"1".padStart(places, "0")}`)
  }
  const units = BigInt(whole + fraction.padEnd(places, "0"))
  if (units > most * 10n ** BigInt(places)) return new Wrong("At most 1000000000 USD.")
  return sign === "" || sign === "+" ? units : -units
}

/** In micro-USD: `12345.678901` is exactly that. */
export const parseUsd = (text: string): bigint | Wrong => parseUnits(text, 6)

/** The cap of one call, as the gateway takes it: a decimal of at most nine places. `undefined`: none. */
export const parseCap = (text: string): string | Wrong | undefined => {
  if (text.trim() === "") return undefined
  const units = parseUnits(text, 9)
  if (units instanceof Wrong) return units
  return units < 0n ? new Wrong("The amount cannot be below zero.") : formatUsd(nano(units))
}

/** The text that `parseUsd` reads back exactly. Empty: there is no amount. */
export const usdText = (amount: number | bigint | string | null | undefined): string =>
  amount === null || amount === undefined ? "" : formatUsd(fromMicros(micro(BigInt(amount))))
