import { divideHalfUp, type NanoUsd, nano, usd } from "@tollgate/contract/Money"
import * as Utf8 from "@tollgate/contract/Utf8"
import { parseDecimal } from "../../internal/decimal.ts"
import { quote } from "../../internal/jsonScan.ts"
import { type Field, fieldScanner } from "./fieldScanner.ts"

/** Where an upstream reports what a canceled task used. */
export interface CanceledCost {
  /** The names of the field and of the objects around it, in the upstream's task. */
  readonly path: ReadonlyArray<string>
  /** USD for each unit of the field. Without it the field is an amount of USD. */
  readonly perUnit?: NanoUsd
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
