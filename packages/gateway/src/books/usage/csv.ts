import * as Csv from "effect/encoding/Csv"
import * as Stream from "effect/Stream"
import { fields, type LoggedCall, names } from "./LoggedCall.ts"

/** Characters at which a spreadsheet starts a formula, full-width forms included. */
const formula = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

const cell = (value: string | bigint | boolean | null): string => {
  if (value === null) return ""
  return typeof value === "string" && formula.test(value) ? `'${value}` : String(value)
}

/** A header, and one line for each call. Text that a spreadsheet would evaluate gets a leading apostrophe. */
export const csv = <E, R>(calls: Stream.Stream<LoggedCall, E, R>): Stream.Stream<string, E, R> =>
  calls.pipe(
    Stream.map((call) => {
      const values = fields(call)
      return Object.fromEntries(names.map((name) => [name, cell(values[name])]))
    }),
    Stream.pipeThroughChannel(Csv.encodeString<E>({ columns: names, headers: true }))
  )
