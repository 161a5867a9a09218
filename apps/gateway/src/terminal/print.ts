import { formatUsd, fromMicros, micro } from "@tollgate/contract/Money"
import { Shapes } from "@tollgate/gateway/operator"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Data from "effect/Data"
import { errorReported } from "effect/Runtime"

/** The message is one line, for the person who typed the command. */
export class CommandError extends Data.TaggedError("CommandError")<{ readonly message: string }> {}

/** The reader of the output left, as `head` does: the program ends with exit code 1 and says nothing. */
class OutputClosed extends CommandError {
  override readonly [errorReported] = false
}

export const fail = (message: string): Effect.Effect<never, CommandError> => Effect.fail(new CommandError({ message }))

/** What people type in front of a command. A checkout has a script in place of the installed program, and sets it. */
export const typed = { program: "tollgate" }

const errorOf = (error: NodeJS.ErrnoException): CommandError =>
  new (error.code === "EPIPE" ? OutputClosed : CommandError)({ message: `Cannot write the output: ${error.message}` })

/** Succeeds when the text is written: the process may exit right after. */
const toStandardOutput = (text: string): Effect.Effect<void, CommandError> =>
  Effect.callback((resume) => {
    process.stdout.write(text, (error) => resume(error ? Effect.fail(errorOf(error)) : Effect.void))
  })

export const toStandardError = (text: string): Effect.Effect<void> => Effect.sync(() => process.stderr.write(text))

/** Where commands print: standard output by default. */
export const Output = Context.Reference<(text: string) => Effect.Effect<void, CommandError>>("@tollgate/cli/Output", {
  defaultValue: () => toStandardOutput
})

/** The width of the terminal that reads the output. `undefined`: a program reads it, or the width is not known. */
export const Columns = Context.Reference<number | undefined>("@tollgate/cli/Columns", {
  defaultValue: () => (process.stdout.isTTY ? process.stdout.columns || undefined : undefined)
})

/** Names may be chosen by others: one line, and nothing that commands the terminal. */
export const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")

const commands = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu

const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Text of others as it is, except that what commands the terminal or turns the direction of text is written as JSON escapes. */
export const escaped = (text: string): string =>
  text.replaceAll(commands, (found) => found.split("").map(escapedUnit).join(""))

const widthOf = (text: string): number => [...text].length

const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)))

const alignColumns = (written: ReadonlyArray<ReadonlyArray<string>>): string => {
  const rows = written.map((row) => row.map(plain))
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? "")), 0)
  )
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

export const line = (text: string) => write(`${escaped(text)}\n`)

/** To standard error: standard output may be read by a program. */
export const warning = (text: string) => Effect.sync(() => process.stderr.write(`${escaped(text)}\n`))

/** Writes a bigint as a number, or as a string if a number would not be exact. */
export const json = (value: unknown) =>
  line(JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? Shapes.amount(part) : part), 2))

/** A header and a row for each item, or the text `none` if there are no items. A table that is too wide is a record for each. */
export const table = <A>(
  items: ReadonlyArray<A>,
  columns: Readonly<Record<string, (item: A) => string>>,
  none: string
) => {
  const cells = Object.values(columns)
  const rows = items.map((item) => cells.map((cell) => cell(item)))
  if (rows.length === 0) return line(none)
  const names = Object.keys(columns)
  const text = alignColumns([names, ...rows])
  return Effect.flatMap(Columns, (width = Infinity) =>
    text.split("\n").every((row) => widthOf(row) <= width)
      ? line(text)
      : line(rows.map((row) => alignColumns(names.map((name, i) => [name, row[i] ?? ""]))).join("\n\n"))
  )
}

/** One line for each field. */
export const record = (parts: Readonly<Record<string, string>>) => line(alignColumns(Object.entries(parts)))

export const cells = <A>(columns: Readonly<Record<string, (item: A) => string>>, item: A) =>
  Object.fromEntries(Object.entries(columns).map(([name, cell]) => [name, cell(item)]))
