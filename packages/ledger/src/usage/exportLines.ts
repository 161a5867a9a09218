import * as Csv from "effect/encoding/Csv"
import * as Stream from "effect/Stream"

export type Cell = string | bigint | boolean | null

export const time = (millis: number): string => new Date(millis).toISOString()

/** Characters at which a spreadsheet starts a formula, full-width forms included. */
const formula = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

const cell = (value: Cell): string => {
  if (value === null) return ""
  return typeof value === "string" && formula.test(value) ? `'${value}` : String(value)
}

/** A header, and one line for each thing. Text that a spreadsheet would evaluate gets a leading apostrophe. */
export const csv =
  <A, Name extends string>(names: ReadonlyArray<Name>, fields: (of: A) => Readonly<Record<Name, Cell>>) =>
  <E, R>(things: Stream.Stream<A, E, R>): Stream.Stream<string, E, R> =>
    things.pipe(
      Stream.map((of) => {
        const values = fields(of)
        return Object.fromEntries(names.map((name) => [name, cell(values[name])]))
      }),
      Stream.pipeThroughChannel(Csv.encodeString<E>({ columns: names, headers: true }))
    )

const json = (value: Cell): string => (typeof value === "bigint" ? value.toString() : JSON.stringify(value))

/** One JSON object on a line for each thing. Amounts are integers of any size. */
export const ndjson = <A, Name extends string>(
  names: ReadonlyArray<Name>,
  fields: (of: A) => Readonly<Record<Name, Cell>>
): (<E, R>(things: Stream.Stream<A, E, R>) => Stream.Stream<string, E, R>) =>
  Stream.map((of: A) => {
    const values = fields(of)
    return `{${names.map((name) => `"${name}":${json(values[name])}`).join(",")}}\n`
  })
