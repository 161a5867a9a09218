import { familyOf } from "@tollgate/contract/price/modelFamily"
import { countIn, dayOf, numberIn, modelKey } from "./cells.ts"
import { type Cell, wrongAt } from "./exportFile.ts"
import { CommandError } from "../terminal/print.ts"

export type Provider = "openai" | "anthropic" | "google" | "csv"

/** Reads a value by its name, or by the first of several names that has one. */
export type Get = (...names: ReadonlyArray<string>) => Cell | undefined

/** The kind of a line that compares money. All others compare counts. */
export const cost = "cost"

/** A part of time that the export covers. `end` is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

export const dayMillis = 86_400_000
const longestDays = 3_660
const dayStart = (millis: number): number => millis - (millis % dayMillis)

/** What one model has on one day, by kind, in units of 10^-21. */
export interface DayOfModel {
  readonly day: string
  readonly key: string
  readonly name: string
  readonly sums: Map<string, bigint>
}

/** More lines than any comparison of models and days has: the columns are not the right ones. */
const mostLines = 200_000

export class Statement {
  readonly lines = new Map<string, DayOfModel>()
  /** The kinds that the export has. Others are not compared. */
  readonly kinds = new Set<string>()
  /** Amounts that are no usage, by what they are: credits, taxes and corrections. */
  readonly besides = new Map<string, bigint>()
  readonly notes: Array<string> = []
  /** The times that the export covers, each once. */
  readonly spans = new Map<string, Span & { readonly at?: string }>()
  /** The addresses of the API that it is from, where that decides which of our calls count. */
  readonly results = new Set<string>()
  namesModels = false
  private readonly buckets = new Set<string>()
  private equalBuckets = 0
  private isByRow = false

  readonly provider: Provider
  private readonly aliases: ReadonlyMap<string, string>

  constructor(provider: Provider, aliases: ReadonlyMap<string, string>) {
    this.provider = provider
    this.aliases = aliases
  }

  /** From its first time to its last. */
  get window(): Span {
    const spans = [...this.spans.values()]
    return {
      start: spans.reduce((least, { start }) => Math.min(least, start), Number.MAX_SAFE_INTEGER),
      end: spans.reduce((most, { end }) => Math.max(most, end), 0)
    }
  }

  /** Remembers that the export covers a time. Times may not overlap, or usage would count twice. */
  cover({ end, start }: Span, at: string): void {
    if (end <= start) throw wrongAt(at, "the time ends before it starts")
    this.spans.set(`${start} ${end}`, { start, end, at })
  }

  /** What is wrong if two buckets have time in common. */
  overlap(): CommandError | undefined {
    let before: Span | undefined
    for (const span of [...this.spans.values()].sort((a, b) => a.start - b.start)) {
      if (span.at === undefined) continue
      if (before !== undefined && span.start < before.end) {
        const text = `${new Date(before.start).toISOString()} to ${new Date(before.end).toISOString()}`
        return wrongAt(span.at, `the time overlaps another of the export, ${text}: use buckets of one width`)
      }
      before = span
    }
    return undefined
  }

  /** For rows that have a time but no end: the whole day is covered. */
  coverDay(millis: number): void {
    this.isByRow = true
    const start = dayStart(millis)
    this.spans.set(`${start} ${start + dayMillis}`, { start, end: start + dayMillis })
  }

  /** Days without rows between others are covered too: nothing was used on them. */
  private fillDays(): void {
    const { end, start } = this.window
    if (end - start > longestDays * dayMillis) {
      this.notes.push(`The rows are up to ${(end - start) / dayMillis} days apart; only days with rows are compared.`)
    } else for (let day = start; day < end; day += dayMillis) this.coverDay(day)
  }

  /** False if the same content was read before. */
  isNew(content: string): boolean {
    const isNew = !this.buckets.has(content)
    if (isNew) this.buckets.add(content)
    else this.equalBuckets++
    return isNew
  }

  close(): void {
    if (this.isByRow) this.fillDays()
    if (this.equalBuckets > 0) this.notes.push(`Buckets that appear twice, and count once: ${this.equalBuckets}.`)
  }

  add(millis: number, model: string | undefined, kind: string, exact: bigint): void {
    this.kinds.add(kind)
    if (model !== undefined) this.namesModels = true
    const named = this.aliases.get(model ?? "") ?? model ?? ""
    const key = modelKey(named)
    const day = dayOf(millis)
    const id = `${day} ${key}`
    let line = this.lines.get(id)
    if (line === undefined) {
      if (this.lines.size >= mostLines) {
        const message = `The export has more than ${mostLines} different models and days to compare; narrow it`
        throw new CommandError({ message: `${message}, or check that the columns are the right ones.` })
      }
      this.lines.set(id, (line = { day, key, name: familyOf(named), sums: new Map() }))
    }
    line.sums.set(kind, (line.sums.get(kind) ?? 0n) + exact)
  }

  /** Long writes are counted beside the others: they belong to `cache_write` too. */
  addCount(millis: number, model: string | undefined, kind: string, cell: Cell | undefined): void {
    if (cell === undefined) return
    this.add(millis, model, kind, countIn(cell))
    if (kind === "cache_write_long") this.add(millis, model, "cache_write", countIn(cell))
  }

  /** A part of another count. */
  addDetail(millis: number, model: string | undefined, kind: string, cell: Cell | undefined): void {
    if (cell !== undefined) this.add(millis, model, kind, countIn(cell))
  }

  /** An amount of USD. Below zero it is a credit. `scale`: how many of its unit are a USD. */
  addCost(millis: number, model: string | undefined, cell: Cell, currency: Cell | undefined, scale = 1n): void {
    if (currency !== undefined && currency.text.toLowerCase() !== "usd") {
      throw wrongAt(currency.at, `the amount is in ${currency.text.toUpperCase()}; only USD can be compared`)
    }
    const exact = numberIn(cell) / scale
    if (exact < 0n) this.addBesides("credits", exact)
    else this.add(millis, model, cost, exact)
  }

  addBesides(what: string, exact: bigint): void {
    this.besides.set(what, (this.besides.get(what) ?? 0n) + exact)
  }
}

/** How a provider writes the results of a time. */
export interface Results {
  /** The time of a bucket. A row of a table may have no end. */
  readonly spanOf: (get: Get, at: string, isRow: boolean) => Span
  readonly addResult: (statement: Statement, span: Span, get: Get, at: string) => void
}
