import type { FieldPath } from "@tollgate/contract/price/Price"
import * as Utf8 from "@tollgate/contract/Utf8"
import { quote } from "../../internal/jsonScan.ts"
import type { StreamMeter } from "../Protocol.ts"
import { type Field, fieldScanner } from "./fieldScanner.ts"
import { observeEvents, observeItems } from "./filterEvents.ts"
import { divideHalfUp, nano, type NanoUsd, usd } from "@tollgate/contract/Money"
import { parseDecimal } from "@tollgate/contract/price/exact"
import type { CanceledCost } from "../Provider.ts"

const fieldAt = (path: FieldPath): Field<"value"> =>
  path.reduceRight<Field<"value">>((field, name) => ({ members: { [name]: field } }), { tag: "value" })

/** No number is written with more digits. */
const longest = 100

const scannerOf = (field: Field<"value">) => {
  const scan = fieldScanner(field)
  /** A number or a text that holds one, as written. Empty: there are several that differ. `undefined`: there is none. */
  return (bytes: Uint8Array, from: number, to: number): string | undefined => {
    let found: string | undefined
    const isValid = scan(bytes, from, to, (_, start, end) => {
      const isText = bytes[start] === quote
      const isLong = end - start > longest
      const value = isLong ? "" : Utf8.decode(bytes.subarray(isText ? start + 1 : start, isText ? end - 1 : end))
      if (!isText && value === "null") return
      found = found === undefined || found === value ? value : ""
    })
    return isValid ? found : undefined
  }
}

const scanners = new WeakMap<FieldPath, ReturnType<typeof scannerOf>>()

/** What stands in a field of a JSON text, as written: a number that was parsed may have been rounded. */
export const textAt = (bytes: Uint8Array, path: FieldPath): string | undefined => {
  const scan = scanners.get(path) ?? scannerOf(fieldAt(path))
  scanners.set(path, scan)
  return scan(bytes, 0, bytes.length)
}

/** Events that hold the answer, or a part of it, under one of these names. */
const around = ["response", "message"]

/** The meter of a stream, which also reads what the last report says that the call cost. */
export const withReportedCost = (
  meter: StreamMeter,
  path: FieldPath,
  isEvents: boolean,
  eventBytes: number
): StreamMeter => {
  const inner = fieldAt(path)
  const scan = scannerOf({
    members: { ...Object.fromEntries(around.map((name) => [name, inner])), ...inner.members }
  })
  let reportedCost: string | undefined
  const onItem = (bytes: Uint8Array, from: number, to: number) => {
    reportedCost = scan(bytes, from, to) ?? reportedCost
  }
  const reader = isEvents
    ? observeEvents(({ bytes, from, to }) => onItem(bytes, from, to), eventBytes)
    : observeItems(onItem, eventBytes)
  return {
    ...meter,
    push: (chunk) => {
      reader.push(chunk)
      return meter.push(chunk)
    },
    finish: () => {
      reader.finish()
      return meter.finish()
    },
    report: () => ({ ...meter.report(), reportedCost })
  }
}

/** No task costs as much: a larger amount is an upstream's error. */
const largestCost = usd("1000000")

/** The cost that a canceled task reports, to the nearest nano-USD. `undefined`: it reports none that is possible. */
export const readCanceledCost = (body: Uint8Array, { path, perUnit }: CanceledCost): NanoUsd | undefined => {
  const used = parseDecimal(textAt(body, path) ?? "")
  if (used === undefined) return undefined
  const cost = nano(divideHalfUp(used.digits * (perUnit ?? usd("1")), 10n ** BigInt(used.scale)))
  return cost > largestCost ? undefined : cost
}
