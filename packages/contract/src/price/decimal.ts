/** A decimal number as an integer of `10 ** -scale`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const pattern = /^(\d{1,12})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/

/** Parses a JSON number, or the same in text, exactly. `undefined`: it is negative, too large or not a number. */
export const parseDecimal = (text: string): Decimal | undefined => {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, whole = "", fraction = "", exponent = "0"] = match
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}
