/** Saves content as a file of this browser. */
export const saveFile = (name: string, content: Blob): void => {
  const address = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  // The download has its own reference by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

type Cell = string | number | bigint | null

/** The columns of a file by their names, and what each has of a row. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => Cell>>

/** Text that a spreadsheet would calculate is marked as text. A number stays one. */
const safe = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A row as RFC 4180 has it. */
const line = (cells: ReadonlyArray<Cell>): string =>
  cells.map((cell) => quoted(typeof cell === "string" ? safe(cell) : `${cell ?? ""}`)).join(",")

export const csvOf = <Row>(columns: CsvColumns<Row>, rows: ReadonlyArray<Row>): string =>
  [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((of) => of(row)))]
    .map((cells) => `${line(cells)}\r\n`)
    .join("")

export const saveCsv = (name: string, text: string): void =>
  saveFile(name, new Blob([text], { type: "text/csv;charset=utf-8" }))
