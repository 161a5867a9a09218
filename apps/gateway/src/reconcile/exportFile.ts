import { attempt } from "@tollgate/contract/attempt"
import { parse } from "csv-parse"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { createReadStream } from "node:fs"
import { open, readFile } from "node:fs/promises"
import { pipeline } from "node:stream"
import { CommandError, plain } from "../terminal/print.ts"

export const wrongAt = (at: string, message: string): CommandError =>
  new CommandError({ message: plain(`${at}: ${message}`) })

/** One value of an export, as it is written. `null` and absent values have no cell. */
export interface Cell {
  readonly text: string
  /** The file, and the line or the path in it. */
  readonly at: string
}

/** What belongs together in an export: a row of a table, or an object. Cells of inner objects have names such as `amount.value`. */
export interface Entry {
  readonly at: string
  readonly cells: Map<string, Cell>
  /** Its own entries are in its field `data`, and are entries too. */
  readonly isPage: boolean
}

/** What an export is written in. CSV has the names of its columns. */
export type Format = { readonly kind: "json" } | { readonly kind: "csv"; readonly columns: ReadonlyArray<string> }

type Visit = (entry: Entry, format: Format) => void

const mostBytes = 256 * 1024 * 1024
const mostDepth = 64
/** A longer row has a quote that is missing. */
const longestRow = 1024 * 1024

const delimiterOf = (line: string): string => {
  const bare = line.replaceAll(/"[^"]*"/g, "")
  return [",", ";", "\t"].reduce((best, next) => (bare.split(next).length > bare.split(best).length ? next : best))
}

const notText = (file: string) => wrongAt(file, "the file is not text in UTF-8; unpack it, or save it as UTF-8")

const decoding = (file: string) =>
  async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
    const decoder = new TextDecoder("utf-8", { fatal: true })
    try {
      for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
      yield decoder.decode()
    } catch (error) {
      throw error instanceof TypeError ? notText(file) : error
    }
  }

/** The rows of a table, which may be larger than memory. */
const readTable = async (file: string, head: string, visit: Visit): Promise<void> => {
  let columns: ReadonlyArray<string> = []
  const parser = parse({
    columns: (names: Array<string>) => {
      const twice = names.find((name, i) => name !== "" && names.indexOf(name) !== i)
      if (twice !== undefined) throw wrongAt(file, `two columns are called ${twice}`)
      return [...(columns = names)]
    },
    delimiter: delimiterOf(head.trimStart().split("\n", 1)[0] ?? ""),
    info: true,
    max_record_size: longestRow,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true
  })
  const rows: AsyncIterable<{ readonly record: Readonly<Record<string, string>>; readonly info: { lines: number } }> =
    pipeline(createReadStream(file), decoding(file), parser, () => {})
  for await (const { info, record } of rows) {
    const at = `${file}, line ${info.lines}`
    const cells = Object.entries(record).flatMap(([name, text]) =>
      text === "" || name === "" ? [] : [[name, { text, at: `${at}, ${name}` }] as const]
    )
    visit({ at, cells: new Map(cells), isPage: false }, { kind: "csv", columns })
  }
}

const put = (entry: Entry, name: string, value: unknown, depth = 0): void => {
  const at = `${entry.at}, ${name}`
  if (depth > mostDepth) throw wrongAt(entry.at, "the JSON is nested too deeply")
  if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) put(entry, `${name}.${key}`, inner, depth + 1)
  } else if (value !== null) entry.cells.set(name, { text: String(value), at })
}

const entryOf = (value: unknown, at: string, isPage = false): Entry => {
  if (!Predicate.isObject(value)) throw wrongAt(at, "expected an object")
  const entry: Entry = { at, cells: new Map(), isPage }
  for (const [name, inner] of Object.entries(value)) if (!isPage || name !== "data") put(entry, name, inner)
  return entry
}

/** Entries are the objects at the top, in an array at the top, and in `data` of either. */
const visitValue = (value: unknown, at: string, visit: Visit): void => {
  if (Array.isArray(value)) return value.forEach((item, i) => visitValue(item, `${at}, ${i}`, visit))
  const data: unknown = Predicate.isObject(value) ? Reflect.get(value, "data") : undefined
  const isPage = Array.isArray(data)
  if (isPage) data.forEach((item, i) => visit(entryOf(item, `${at}, data.${i}`), { kind: "json" }))
  visit(entryOf(value, at, isPage), { kind: "json" })
}

type ParseWithSource = (
  text: string,
  revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown
) => unknown

/** Numbers keep their digits. */
const parseJson = (text: string): unknown =>
  (JSON.parse as ParseWithSource)(text, (_, value, { source }) => (typeof value === "number" ? source : value))

const isJson = (text: string): boolean => attempt(() => parseJson(text) !== undefined) ?? false

/** One value, or several values with one on each line. */
const readJson = async (file: string, visit: Visit): Promise<void> => {
  const bytes = await readFile(file)
  if (bytes.length > mostBytes) throw wrongAt(file, "the JSON is larger than 256 MB; export it as CSV, or in parts")
  const text = attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  if (text === undefined) throw notText(file)
  const [first = "", ...more] = text.trim().split("\n", 2)
  const lines = more.length > 0 && isJson(first) ? text.split("\n") : [text]
  for (const [i, line] of lines.entries()) {
    if (line.trim() === "") continue
    const at = lines.length === 1 ? file : `${file}, line ${i + 1}`
    let value: unknown
    try {
      value = parseJson(line)
    } catch (error) {
      throw wrongAt(at, `not JSON: ${error instanceof Error ? error.message : String(error)}`)
    }
    visitValue(value, at, visit)
  }
}

/** The beginning of a file, which tells its format. */
const headOf = async (file: string): Promise<string> => {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024))
    return new TextDecoder().decode(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

const read = async (file: string, visit: Visit): Promise<void> => {
  const head = await headOf(file)
  const [first] = /\S/.exec(head) ?? []
  if (first === undefined) throw wrongAt(file, "the file is empty")
  await (first === "{" || first === "[" ? readJson(file, visit) : readTable(file, head, visit))
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // The messages of the CSV parser say what is wrong, and in which line.
  return "code" in error && !/^(?:CSV|INVALID)_/.test(String(error.code)) ? String(error.code) : error.message
}

export const readExport = (file: string, visit: Visit): Effect.Effect<void, CommandError> =>
  Effect.tryPromise({
    try: () => read(file, visit),
    catch: (error) =>
      error instanceof CommandError
        ? error
        : new CommandError({ message: plain(`Cannot read ${file}: ${reasonOf(error)}`) })
  })
