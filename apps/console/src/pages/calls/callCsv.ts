import type { LoggedCall } from "@tollgate/contract/account/LoggedCall"
import { listWords } from "@tollgate/contract/callWords"
import { formatTags } from "@tollgate/contract/Tags"
import type { CsvColumns } from "../../ui/csv.ts"
import { usdText } from "../../ui/parseUsd.ts"

type Name = keyof LoggedCall

const columnsOf = (name: Name): CsvColumns<LoggedCall> => {
  if (name === "error") {
    return { error_code: ({ error }) => error?.code ?? "", error_message: ({ error }) => error?.message ?? "" }
  }
  if (name === "tags") return { tags: ({ tags }) => formatTags(tags) }
  if (!name.endsWith("_micros_usd")) {
    return {
      [name]: (call) => {
        const value = call[name]
        return typeof value === "boolean" ? String(value) : value
      }
    }
  }
  const microsOf = (call: LoggedCall) => BigInt(call[name] ?? 0)
  return { [name]: microsOf, [name.replace("_micros", "")]: (call) => usdText(microsOf(call)) }
}

/** A column for each field of a call, and an amount in USD beside each in micro-USD. */
export const callColumns: CsvColumns<LoggedCall> = Object.assign(
  {},
  ...(Object.keys(listWords) as ReadonlyArray<Name>).map(columnsOf)
)
