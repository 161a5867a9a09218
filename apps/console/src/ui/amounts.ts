import type { Amount } from "@tollgate/contract/account/Amount"

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 })
const decimalPoint =
  new Intl.NumberFormat(undefined).formatToParts(1.5).find(({ type }) => type === "decimal")?.value ?? "."

export const count = (value: number | bigint): string => whole.format(value)
/** `1 price`, `2 prices`. */
export const counted = (number: number, noun: string): string => `${count(number)} ${noun}${number === 1 ? "" : "s"}`
export const shortCount = (value: number): string => (value < 10_000 ? whole.format(value) : compact.format(value))

export const microsOf = (amount: Amount): bigint => BigInt(amount)

/** A whole number of 10^-places USD, with at least so many decimals and all that say something. */
const usdOf = (units: bigint, places: number, least = 2): string => {
  const sign = units < 0n ? "−" : ""
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, "0")
  const fraction = digits.slice(-places).replace(/0+$/, "").padEnd(least, "0")
  return `${sign}$${whole.format(BigInt(digits.slice(0, -places)))}${decimalPoint}${fraction}`
}

/** An exact amount in USD, from micro-USD: `$0.00145`. */
export const usd = (amount: Amount | bigint): string => usdOf(BigInt(amount), 6)

/** An exact amount in USD, from nano-USD. */
export const nanoUsd = (amount: string | bigint): string => usdOf(BigInt(amount), 9)

/** For places with little room: two decimals from one USD on, and no digits that say nothing below. */
export const shortUsd = (amount: Amount | bigint): string => {
  const micros = BigInt(amount)
  const absolute = micros < 0n ? -micros : micros
  return absolute >= 1_000_000n
    ? usdOf(((micros + (micros < 0n ? -5_000n : 5_000n)) / 10_000n) * 10_000n, 6)
    : usdOf(micros, 6)
}

/** A balance, with two decimals. It never shows more than there is. */
export const leftUsd = (amount: Amount | bigint): string => {
  const micros = BigInt(amount)
  if (micros > 0n && micros < 10_000n) return `< ${usdOf(10_000n, 6)}`
  // Rounded down, also below zero.
  const cents = micros / 10_000n - (micros < 0n && micros % 10_000n !== 0n ? 1n : 0n)
  return usdOf(cents * 10_000n, 6)
}

/** For a column that grows, so that the points stand below each other: always six decimals. */
export const columnUsd = (amount: Amount | bigint): string => usdOf(BigInt(amount), 6, 6)

/** For a column whose amounts are all known: each has the decimals of the finest, two at least. */
export const usdColumn = (amounts: ReadonlyArray<Amount | bigint | null>): ((amount: Amount | bigint) => string) => {
  const decimals = amounts.map(
    (amount) =>
      usdOf(BigInt(amount ?? 0), 6)
        .split(decimalPoint)
        .at(-1)?.length ?? 2
  )
  const most = Math.max(2, ...decimals)
  return (amount) => usdOf(BigInt(amount), 6, most)
}

/** An amount that was rounded to micro-USD. One that is too small for that is not shown as nothing. */
export const chargedUsd = (micros: Amount, nano: string, format: (amount: Amount) => string = usd): string =>
  BigInt(micros) === 0n && BigInt(nano) > 0n ? `< ${usdOf(1n, 6)}` : format(micros)

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** `840 characters`, `1.2 kB`, `3 MB`. */
export const size = (characters: number): string => {
  if (characters < 1_000) return `${number.format(characters)} characters`
  return characters < 1_000_000
    ? `${number.format(characters / 1_000)} kB`
    : `${number.format(characters / 1_000_000)} MB`
}
