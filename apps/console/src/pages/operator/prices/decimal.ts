// Prices have up to nine decimals. They are computed as whole nano-USD.

const scale = 9

/** Nano-USD, or `undefined` if the text is not a decimal with up to nine places. */
export const parseDecimal = (text: string): bigint | undefined => {
  const [, whole, fraction = ""] = /^(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text.trim()) ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(scale, "0"))
}

export const formatDecimal = (nanos: bigint): string => {
  const digits = nanos.toString().padStart(scale + 1, "0")
  const fraction = digits.slice(-scale).replace(/0+$/, "")
  return `${digits.slice(0, -scale)}${fraction === "" ? "" : `.${fraction}`}`
}

const unit = 10n ** BigInt(scale)

/** The product, rounded half up to the ninth decimal. */
export const multiplyDecimal = (a: bigint, b: bigint): bigint => (a * b + unit / 2n) / unit
