import { countOf, nanoOf } from "./cells.ts"
import { modelInSku } from "./providers.ts"
import { addFacts, type Facts, noFacts, type Records } from "./Records.ts"
import { cost, type DayOfModel, dayMillis, type Statement } from "./Statement.ts"

/** One line of the comparison. Money is nano-USD, the rest are counts. */
export interface Line {
  readonly day: string
  readonly key: string
  readonly model: string
  readonly kind: string
  /** Missing: they have no such line. */
  readonly theirs: bigint | undefined
  /** Missing: we have no such line. */
  readonly ours: bigint | undefined
  /** What they say beyond what we recorded. */
  readonly difference: bigint
  /** The difference as a part of what they say, or of ours if they say nothing, in millionths. */
  readonly millionths: bigint
  readonly facts: Facts
  readonly isOver: boolean
  /** The day has not ended, so it decides nothing yet. */
  readonly isUnfinished: boolean
}

const order = [cost, "input", "cache_read", "cache_write", "cache_write_long", "output"]
const rank = (kind: string): number => (order.includes(kind) ? order.indexOf(kind) : kind === "requests" ? 99 : 50)

/** Requests are shown, but whether a failed one counts is the provider's choice: no difference of them decides. */
const isTold = (kind: string): boolean => kind === "requests"

const absolute = (value: bigint): bigint => (value < 0n ? -value : value)

export interface Narrowed {
  /** In millionths. */
  readonly tolerance: bigint
  readonly now: number
  readonly isInWindow: (day: string) => boolean
  readonly day: string | undefined
  readonly model: string | undefined
}

/** Finds the models in the names of SKUs, and gives models of a statement that names none our own sum. */
const resolved = (statement: Statement, records: Records): Iterable<DayOfModel> => {
  if (statement.provider !== "google") return statement.lines.values()
  const ours = new Set([...records.lines.values()].map(({ key }) => key).filter((key) => key !== ""))
  const found = new Map<string, DayOfModel>()
  for (const { day, name, sums } of statement.lines.values()) {
    const model = modelInSku(name, ours)
    const key = model.replaceAll(".", "-")
    const line = found.get(`${day} ${key}`) ?? { day, key, name: model, sums: new Map<string, bigint>() }
    for (const [kind, exact] of sums) line.sums.set(kind, (line.sums.get(kind) ?? 0n) + exact)
    found.set(`${day} ${key}`, line)
  }
  return found.values()
}

interface Pair {
  readonly day: string
  readonly key: string
  name: string
  readonly theirs: Map<string, bigint>
  readonly ours: Map<string, bigint>
  readonly facts: Facts
}

export const compare = (statement: Statement, records: Records, options: Narrowed): ReadonlyArray<Line> => {
  const pairs = new Map<string, Pair>()
  const pairOf = (day: string, key: string, name: string): Pair => {
    const id = `${day} ${key}`
    let pair = pairs.get(id)
    if (pair === undefined) {
      pairs.set(id, (pair = { day, key, name, theirs: new Map(), ours: new Map(), facts: noFacts() }))
    }
    return pair
  }
  for (const { day, key, name, sums } of resolved(statement, records)) {
    const { theirs } = pairOf(day, key, name)
    for (const [kind, exact] of sums) theirs.set(kind, kind === cost ? nanoOf(exact) : countOf(exact))
  }
  for (const { day, facts, key, name, sums } of records.lines.values()) {
    const pair = statement.namesModels ? pairOf(day, key, name) : pairOf(day, "", "")
    if (statement.namesModels) pair.name = name
    for (const [kind, count] of sums) {
      if (statement.kinds.has(kind)) pair.ours.set(kind, (pair.ours.get(kind) ?? 0n) + count)
    }
    addFacts(pair.facts, facts)
  }
  return [...pairs.values()]
    .filter(({ day, key }) => options.isInWindow(day) && (options.day ?? day) === day && (options.model ?? key) === key)
    .flatMap((pair) => linesOf(pair, options))
    .sort((a, b) => {
      const [left, right] = [`${a.day} ${a.model}`, `${b.day} ${b.model}`]
      return left === right ? rank(a.kind) - rank(b.kind) : left < right ? -1 : 1
    })
}

const linesOf = ({ day, facts, key, name, ours, theirs }: Pair, { now, tolerance }: Narrowed): ReadonlyArray<Line> => {
  const kinds = new Set([...theirs.keys(), ...ours.keys()])
  return [...kinds].flatMap((kind) => {
    const [their = 0n, our = 0n] = [theirs.get(kind), ours.get(kind)]
    if (their === 0n && our === 0n) return []
    const difference = their - our
    const base = their === 0n ? our : their
    // Each amount of our list was rounded to a micro-USD.
    const slack = kind === cost ? BigInt(facts.listed) * 500n : 0n
    const isUnfinished = Date.parse(day) + dayMillis > now
    return [
      {
        day,
        key,
        model: name,
        kind,
        theirs: theirs.get(kind),
        ours: ours.get(kind),
        difference,
        millionths: (difference * 1_000_000n) / base,
        facts,
        isOver:
          !isUnfinished &&
          !isTold(kind) &&
          absolute(difference) > slack &&
          absolute(difference) * 1_000_000n > base * tolerance,
        isUnfinished
      }
    ]
  })
}

export const totalsOf = (lines: ReadonlyArray<Line>) => {
  const totals = new Map<string, { kind: string; theirs: bigint; ours: bigint }>()
  for (const { kind, ours = 0n, theirs = 0n } of lines) {
    const total = totals.get(kind) ?? { kind, theirs: 0n, ours: 0n }
    total.theirs += theirs
    total.ours += ours
    totals.set(kind, total)
  }
  return [...totals.values()]
    .sort((a, b) => rank(a.kind) - rank(b.kind))
    .map((total) => ({ ...total, difference: total.theirs - total.ours }))
}
