import type { Usage } from "./Conversation.ts"
import { countOr, valueAt } from "./json.ts"

/** The counts of a report. A cache's reads may have a second name. */
type Count = "input" | "output" | "cacheRead" | "cacheHit" | "cacheWrite" | "reasoning" | "tools" | "total"

/** What is told apart within the counts. */
type Part =
  | "cacheWriteLong"
  | "audioInput"
  | "audioOutput"
  | "audioCacheRead"
  | "imageInput"
  | "imageOutput"
  | "imageCacheRead"
  | "videoInput"

/** How a report was served. */
type Service = "tier" | "speed" | "region"

type Path = ReadonlyArray<string>

/** A field, names joined by a dot, or what finds a value in a report. */
type Place<A> = string | ((report: unknown) => A)

/** Where a protocol reports what. */
interface Places {
  /** The field of an answer that has the report of its usage. */
  readonly at: string
  /** Fields of an answer beside the report. */
  readonly answer: { readonly model?: Path; readonly tier?: Path }
  readonly counts: Readonly<Partial<Record<Count, string>>>
  /** The input counts what was read from a cache and written to it. */
  readonly isCacheInInput?: true
  /** The output does not count the reasoning. */
  readonly isReasoningApart?: true
  /** A later report of a stream may repeat only some counts. */
  readonly isInParts?: true
  readonly parts?: Readonly<Partial<Record<Part, Place<number>>>>
  readonly service?: Readonly<Partial<Record<Service, Place<string | undefined>>>>
  /** Fields that are read elsewhere, or repeat others. */
  readonly others?: ReadonlyArray<string>
  /** The names of what is counted and nobody knows, beside fields. */
  readonly unknown?: (report: unknown) => ReadonlyArray<string>
}

/** The fields of a report that are read, or that repeat others: `true`, or those of an object. */
export interface Known {
  readonly [name: string]: true | Known
}

export interface UsageTable extends Pick<
  Places,
  "at" | "answer" | "isCacheInInput" | "isReasoningApart" | "isInParts" | "unknown"
> {
  readonly counts: ReadonlyArray<{ readonly name: Count; readonly path: Path }>
  readonly parts: ReadonlyArray<{ readonly name: Part; readonly find: (report: unknown) => number }>
  readonly service: ReadonlyArray<{ readonly name: Service; readonly find: (report: unknown) => unknown }>
  readonly known: Known
}

const countIn = (report: unknown, path: Path): number => countOr(valueAt(report, path)) ?? 0

/** A count of something that has a price of its own. 0: there is none. */
export const countAt = (report: unknown, ...path: Path): number => countIn(report, path)

type Fields = { [name: string]: true | Fields }

const knownIn = (fields: ReadonlyArray<string>): Known => {
  const known: Fields = {}
  for (const field of fields) {
    const path = field.split(".")
    const last = path.pop() ?? ""
    let inner = known
    for (const name of path) inner = (inner[name] ??= {}) as Fields
    inner[last] = true
  }
  return known
}

const found = <A>(place: Place<A>, read: (report: unknown, path: Path) => A) => {
  if (typeof place !== "string") return place
  const path = place.split(".")
  return (report: unknown) => read(report, path)
}

export const usageTable = (places: Places): UsageTable => {
  const { counts, others = [], parts = {}, service = {} } = places
  const table = {
    counts: Object.entries(counts).map(([name, place]) => ({ name, path: place.split(".") })),
    parts: Object.entries(parts).map(([name, place]) => ({ name, find: found(place, countIn) })),
    service: Object.entries(service).map(([name, place]) => ({ name, find: found<unknown>(place, valueAt) }))
  }
  const fields = [counts, parts, service].flatMap((each) => Object.values<Place<unknown>>(each))
  const known = knownIn([...fields.filter((place) => typeof place === "string"), ...others])
  return { ...places, ...(table as Pick<UsageTable, "counts" | "parts" | "service">), known }
}

export type Counts = Readonly<Partial<Record<Count, number>>>

type Counted = { readonly [K in keyof Usage]: number }

/** The counts in the terms of all protocols, but for the reasoning. */
export const usageOf = (table: UsageTable, counts: Counts): Counted => {
  const { isCacheInInput, isReasoningApart } = table
  const { cacheHit, cacheRead = cacheHit, cacheWrite, input, output, reasoning, tools = 0, total } = counts
  const usage: { -readonly [K in keyof Counted]: Counted[K] } = {}
  const within = (count: number, most: number): number => (isCacheInInput === true ? Math.min(count, most) : count)
  if (cacheRead !== undefined) usage.cacheRead = within(cacheRead, input ?? 0)
  if (cacheWrite !== undefined) usage.cacheWrite = within(cacheWrite, (input ?? 0) - (usage.cacheRead ?? 0))
  const cached = isCacheInInput === true ? (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) : 0
  if (input !== undefined) usage.input = input - cached + tools
  // Some count the reasoning beside an output that has it elsewhere: their total tells.
  const isApart = isReasoningApart === true || total === (input ?? 0) + (output ?? 0) + (reasoning ?? 0)
  if (output !== undefined) usage.output = isApart ? output + (reasoning ?? 0) : Math.max(output, reasoning ?? 0)
  else if (isReasoningApart === true && reasoning !== undefined) usage.output = reasoning
  return usage
}

/** What a report counts. What is no count is left out. */
export const readUsage = (table: UsageTable, report: unknown): Usage => {
  const counts: Partial<Record<Count, number>> = {}
  for (const { name, path } of table.counts) {
    const count = countOr(valueAt(report, path))
    if (count !== undefined) counts[name] = count
  }
  const { reasoning } = counts
  return reasoning === undefined ? usageOf(table, counts) : { ...usageOf(table, counts), reasoning }
}
