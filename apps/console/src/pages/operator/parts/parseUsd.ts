/** An amount in micro-USD, or what is wrong with its text. */
export type Parsed = { readonly micros: bigint; readonly problem?: never } | { readonly problem: string }

/** A billion USD: the most that the admin API takes. */
const most = 1_000_000_000_000_000n

const shape = /^([+\-−]?)(\d*)(?:\.(\d*))?$/

/** Digits only, so that an amount is never rounded: `12345.678901` is exactly that. */
export const parseUsd = (text: string, range: "positive" | "zero" | "signed" = "positive"): Parsed => {
  const trimmed = text.trim().replace(/^\$/, "")
  if (trimmed === "") return { problem: "Enter an amount in USD." }
  if (trimmed.includes(",")) return { problem: "Write a point before the decimals, and no commas: 1234.5" }
  if (/^[+\-−]?[\d.]+e/i.test(trimmed)) return { problem: "Write all digits, without an exponent: 1000" }
  const [, sign, whole = "", fraction = ""] = shape.exec(trimmed) ?? []
  if (sign === undefined || whole + fraction === "") return { problem: "Write digits, such as 12.50" }
  if (fraction.length > 6) return { problem: "At most six decimals: the smallest amount is 0.000001" }
  const absolute = BigInt(whole + fraction.padEnd(6, "0"))
  const micros = sign === "" || sign === "+" ? absolute : -absolute
  if (absolute > most) return { problem: "At most 1000000000 USD." }
  if (range !== "signed" && micros < 0n) return { problem: "The amount cannot be below zero." }
  if (range !== "zero" && micros === 0n) return { problem: "The amount cannot be zero." }
  return { micros }
}

/** The text that `parseUsd` reads back exactly. */
export const usdText = (amount: number | string): string => {
  const micros = BigInt(amount)
  const digits = (micros < 0n ? -micros : micros).toString().padStart(7, "0")
  const fraction = digits.slice(-6).replace(/0+$/, "")
  return `${micros < 0n ? "-" : ""}${digits.slice(0, -6)}${fraction === "" ? "" : `.${fraction}`}`
}
