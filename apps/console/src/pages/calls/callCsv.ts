import type { LoggedCall } from "@tollgate/contract/account/LoggedCall"
import { listWords } from "@tollgate/contract/callWords"
import { formatTags } from "@tollgate/contract/Tags"
import { csvLine, decimalUsd } from "../../ui/csv.ts"

type Name = keyof LoggedCall

const names = Object.keys(listWords) as ReadonlyArray<Name>

const columnsOf = (name: Name): ReadonlyArray<string> =>
  name === "error"
    ? ["error_code", "error_message"]
    : name.endsWith("_micros_usd")
      ? [name, name.replace("_micros", "")]
      : [name]

const cellsOf = (call: LoggedCall, name: Name): ReadonlyArray<string | number | bigint> => {
  if (name === "error") return [call.error?.code ?? "", call.error?.message ?? ""]
  if (name === "tags") return [formatTags(call.tags)]
  const value = call[name] ?? ""
  if (!name.endsWith("_micros_usd")) return [typeof value === "boolean" ? String(value) : value]
  return [BigInt(value), decimalUsd(BigInt(value))]
}

/** A column for each field of a call, and an amount in USD beside each in micro-USD. */
export const callCsvHeader = names.flatMap(columnsOf).join(",")

export const callCsvLine = (call: LoggedCall): string => csvLine(names.flatMap((name) => cellsOf(call, name)))
