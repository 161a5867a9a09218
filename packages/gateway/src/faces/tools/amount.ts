import { type NanoUsd, parseUsd } from "@tollgate/contract/Money"
import * as Option from "effect/Option"

/** A number with more digits may have been rounded when it was read. */
const exactDigits = 15

const shortest = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

/** The decimal digits of a number, without an exponent. `undefined`: negative, not finite, or not exact. */
const decimalOf = (amount: number): string | undefined => {
  const match = shortest.exec(String(amount))
  if (match === null) return undefined
  const [, whole = "", fraction = "", exponent = "0"] = match
  const digits = whole + fraction
  if (digits.replace(/^0+|0+$/g, "").length > exactDigits) return undefined
  const point = whole.length + Number(exponent)
  const left = digits.slice(0, Math.max(0, point)).padEnd(point, "0")
  const right = point < 0 ? "0".repeat(-point) + digits : digits.slice(point)
  return `${left === "" ? "0" : left}${right === "" ? "" : `.${right}`}`
}

/** Reads a JSON number of USD exactly. `undefined`: it is negative, has more than nine decimals, or too many digits. */
export const amountOf = (amount: number): NanoUsd | undefined => {
  const text = decimalOf(amount)
  return text === undefined ? undefined : Option.getOrUndefined(parseUsd(text))
}
