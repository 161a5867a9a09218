import { divideHalfUp, type NanoUsd, nano, usd } from "@tollgate/contract/Money"
import * as Utf8 from "@tollgate/contract/Utf8"
import { quote } from "../../internal/jsonScan.ts"
import type { CanceledCost } from "../Provider.ts"
import { type Field, fieldScanner } from "./fieldScanner.ts"

/** A decimal number as an integer of `10 ** -scale`. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const pattern = /^(\d{1,12})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/

/** Parses a JSON number, or the same in text, exactly. `undefined`: it is negative, too large or not a number. */
const parseDecimal = (text: string): Decimal | undefined => {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, whole = "", fraction = "", exponent = "0"] = match
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

/** No task costs as much: a larger amount is an upstream's error. */
const largest = usd("1000000")

const fieldAt = (path: ReadonlyArray<string>): Field<"used"> =>
  path.reduceRight<Field<"used">>((field, name) => ({ members: { [name]: field } }), { tag: "used" })

/** A number or a text that holds one, as written. A number that was parsed before may have been rounded. */
const textAt = (body: Uint8Array, path: ReadonlyArray<string>): string => {
  let text = ""
  const isValid = fieldScanner(fieldAt(path))(body, 0, body.length, (_, start, end) => {
    const isText = body[start] === quote
    text = Utf8.decode(body.subarray(isText ? start + 1 : start, isText ? end - 1 : end))
  })
  return isValid ? text : ""
}

/** The cost that a canceled task reports, to the nearest nano-USD. `undefined`: it reports none that is possible. */
export const readCanceledCost = (body: Uint8Array, { path, perUnit }: CanceledCost): NanoUsd | undefined => {
  const used = parseDecimal(textAt(body, path))
  if (used === undefined) return undefined
  const cost = nano(divideHalfUp(used.digits * (perUnit ?? usd("1")), 10n ** BigInt(used.scale)))
  return cost > largest ? undefined : cost
}
