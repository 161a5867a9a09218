import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { fail } from "../terminal/print.ts"
import { withProgress } from "../terminal/progress.ts"
import { type Entry, type Format, readExport, wrongAt } from "./exportFile.ts"
import { anthropic, addBillingRow, openai, addTableRow } from "./providers.ts"
import { dayMillis, type Get, type Provider, type Span, Statement } from "./Statement.ts"

export interface Options {
  readonly provider: Provider | undefined
  /** Other names of models, as `--alias` has them. */
  readonly aliases: ReadonlyMap<string, string>
  /** What a file calls the columns of a table. */
  readonly columns: ReadonlyMap<string, string>
  /** Only results that have these values, such as of one project. */
  readonly where: ReadonlyMap<string, string>
}

/** Tables write `amount_value` for `amount.value`. */
const getter =
  (entry: Entry, prefix = ""): Get =>
  (...names) => {
    for (const name of names) {
      const cell =
        entry.cells.get(prefix + name) ?? (prefix === "" ? entry.cells.get(name.replaceAll(".", "_")) : undefined)
      if (cell !== undefined) return cell
    }
    return undefined
  }

const providerOf = (entry: Entry, format: Format): Provider | undefined => {
  const has = (name: string) => (format.kind === "csv" ? format.columns.includes(name) : entry.cells.has(name))
  if (has("usage_start_time")) return "google"
  if (has("starting_at") || has("usage_date_utc")) return "anthropic"
  if (has("start_time") || has("start_time_iso")) return "openai"
  return format.kind === "csv" ? "csv" : undefined
}

const unknownColumns = (entry: Entry, columns: ReadonlyArray<string>, wanted: string) =>
  wrongAt(
    entry.at,
    `no column is called ${wanted}; the file has ${columns.join(", ")}. Name it with --columns ${wanted}=…`
  )

/** Tells entries apart by all they contain. */
const digestOf = (entry: Entry): string => {
  const hash = createHash("sha256")
  for (const [name, { text }] of entry.cells) hash.update(`${name}=${text}\0`)
  return hash.digest("base64")
}

const resultsOf = ({ provider }: Statement) => (provider === "openai" ? openai : anthropic)

const results = /^results\.(\d+)\./

class Reading {
  statement: Statement | undefined
  /** Whether the last page is among those that were read. Without pages there is none to miss. */
  private hasPages = false
  private hasLast = false

  private readonly options: Options

  constructor(options: Options) {
    this.options = options
  }

  visit(entry: Entry, format: Format): void {
    if (entry.isPage) return this.page(entry)
    const found = this.options.provider ?? this.statement?.provider ?? providerOf(entry, format)
    if (found === undefined) {
      throw wrongAt(
        entry.at,
        "neither buckets of OpenAI or Anthropic nor rows of Google's billing export; see --provider"
      )
    }
    this.statement ??= new Statement(found, this.options.aliases)
    if (format.kind === "json" && found !== "google" && found !== "csv") this.bucket(this.statement, entry)
    else this.row(this.statement, entry, format)
  }

  private page({ cells }: Entry): void {
    this.hasPages = true
    if (cells.get("has_more")?.text !== "true") this.hasLast = true
  }

  private bucket(statement: Statement, entry: Entry): void {
    const { spanOf } = resultsOf(statement)
    const span = spanOf(getter(entry), entry.at, false)
    if (!statement.isNew(digestOf(entry))) return
    statement.cover(span, entry.at)
    const parts = new Map<string, Entry>()
    for (const [name, cell] of entry.cells) {
      const [prefix, index] = results.exec(name) ?? []
      if (prefix === undefined || index === undefined) continue
      let part = parts.get(index)
      if (part === undefined) parts.set(index, (part = { at: cell.at, cells: new Map(), isPage: false }))
      part.cells.set(name.slice(prefix.length), cell)
    }
    for (const part of parts.values()) this.result(statement, span, part)
  }

  private result(statement: Statement, span: Span, entry: Entry): void {
    if (!this.isWanted(entry)) return
    const { addResult } = resultsOf(statement)
    addResult(statement, span, getter(entry), entry.at)
  }

  private row(statement: Statement, entry: Entry, format: Format): void {
    if (!this.isWanted(entry)) return
    const get = getter(entry)
    if (statement.provider === "google") return addBillingRow(statement, entry, get)
    if (statement.provider === "csv") {
      const named: Get = (...names) => get(...names.map((name) => this.options.columns.get(name) ?? name))
      if (format.kind === "csv") this.checkColumns(entry, format.columns)
      return addTableRow(statement, entry, named)
    }
    const { spanOf } = resultsOf(statement)
    const { start } = spanOf(get, entry.at, true)
    statement.coverDay(start)
    this.result(statement, { start, end: start + dayMillis }, entry)
  }

  private checkColumns(entry: Entry, columns: ReadonlyArray<string>): void {
    const nameOf = (name: string) => this.options.columns.get(name) ?? name
    for (const name of ["day", "model"]) if (!columns.includes(nameOf(name))) throw unknownColumns(entry, columns, name)
    if (!columns.includes(nameOf("amount")) && !columns.includes(nameOf("quantity"))) {
      throw unknownColumns(entry, columns, "amount")
    }
    for (const [name, called] of this.options.columns) {
      if (!columns.includes(called)) throw unknownColumns(entry, columns, name)
    }
  }

  private isWanted(entry: Entry): boolean {
    for (const [name, value] of this.options.where) if (getter(entry)(name)?.text !== value) return false
    return true
  }

  end(): Statement | undefined {
    const { statement } = this
    if (statement === undefined) return undefined
    statement.close()
    if (this.hasPages && !this.hasLast) {
      statement.notes.push("Every page says has_more: the last page of the export is missing.")
    }
    return statement
  }
}

/** What the files of one export say. Pages may be in one file or in several. */
export const readStatement = Effect.fnUntraced(function* (files: ReadonlyArray<string>, options: Options) {
  const reading = new Reading(options)
  yield* withProgress(
    "Reading the export",
    Effect.forEach(files, (file) => readExport(file, (entry, format) => reading.visit(entry, format)), {
      discard: true
    })
  )
  const statement = reading.end()
  if (statement === undefined) return yield* fail(`${files.join(", ")}: the export has no entries.`)
  const overlap = statement.overlap()
  if (overlap !== undefined) return yield* overlap
  return statement
})
