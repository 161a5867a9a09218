import { saveFile } from "./saveFile.ts"

/** Text that a spreadsheet would calculate is marked as text. A number stays one. */
const safe = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A row as RFC 4180 has it. */
export const csvLine = (cells: ReadonlyArray<string | number | bigint>): string =>
  cells.map((cell) => quoted(typeof cell === "string" ? safe(cell) : cell.toString())).join(",")

/** Micro-USD as a decimal of USD, exact and the same in every language. */
export const decimalUsd = (micros: number | bigint): string => {
  const amount = BigInt(micros)
  const digits = (amount < 0n ? -amount : amount).toString().padStart(7, "0")
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** The lines as one file. */
export const csvFile = (lines: ReadonlyArray<string>): string => `${lines.join("\r\n")}\r\n`

/** Saves a table as a file of this browser. */
export const saveCsv = (name: string, text: string): void =>
  saveFile(name, new Blob([text], { type: "text/csv;charset=utf-8" }))
