import { formatUsd, fromMicros, micro } from "@tollgate/contract/Money"
import { Shapes } from "@tollgate/gateway/operator"
import * as Effect from "effect/Effect"
import { Output } from "./Output.ts"

const widthOf = (text: string): number => [...text].length

const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)))

const alignColumns = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))))
  return rows
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

export const usd = (micros: bigint | number): string => `${formatUsd(fromMicros(micro(BigInt(micros))))} USD`

export const write = (text: string) => Effect.flatMap(Output, (write) => write(text))

export const line = (text: string) => write(`${text}\n`)

/** To standard error: standard output may be read by a program. */
export const warning = (text: string) => Effect.sync(() => process.stderr.write(`${text}\n`))

/** Writes a bigint as a number, or as a string if a number would not be exact. */
export const json = (value: unknown) =>
  line(JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? Shapes.amount(part) : part), 2))

/** A header and a row for each item, or the text `none` if there are no items. */
export const table = <A>(
  items: ReadonlyArray<A>,
  columns: Readonly<Record<string, (item: A) => string>>,
  none: string
) => {
  const cells = Object.values(columns)
  const rows = items.map((item) => cells.map((cell) => cell(item)))
  return line(rows.length === 0 ? none : alignColumns([Object.keys(columns), ...rows]))
}

/** One line for each field. */
export const record = (parts: Readonly<Record<string, string>>) => line(alignColumns(Object.entries(parts)))
