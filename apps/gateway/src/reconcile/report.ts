import { formatUsd, nano } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import * as Print from "../terminal/print.ts"
import { type Line, totalsOf } from "./Comparison.ts"
import { dayOf, nanoOf } from "./cells.ts"
import type { Behind } from "./recorded.ts"
import type { Facts } from "./Records.ts"
import { cost, type Statement } from "./Statement.ts"

export interface Report {
  readonly statement: Statement
  readonly lines: ReadonlyArray<Line>
  readonly upstreams: ReadonlyArray<string>
  readonly behind: { readonly calls: ReadonlyArray<Behind>; readonly leftOut: number } | undefined
}

const usd = (amount: bigint): string => formatUsd(nano(amount))

const amount = (kind: string, value: bigint | undefined): string =>
  value === undefined ? "-" : kind === cost ? `${usd(value)} USD` : String(value)

const signed = (kind: string, value: bigint): string => (value > 0n ? "+" : "") + amount(kind, value)

const percent = (millionths: bigint): string => {
  const magnitude = millionths < 0n ? -millionths : millionths
  const sign = millionths > 0n ? "+" : millionths < 0n ? "-" : ""
  return `${sign}${magnitude / 10_000n}.${String((magnitude % 10_000n) / 100n).padStart(2, "0")} %`
}

const wordsOf = (facts: Facts, isMoney: boolean): ReadonlyArray<string> =>
  [
    [facts.unknown, "unknown"],
    [facts.estimated, "estimated"],
    [facts.open, "not ended"],
    [facts.overMidnight, "over midnight"],
    [facts.mixed, "ran other models too"],
    [isMoney ? facts.listed : 0, "by our list"]
  ].flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]))

const notesOf = (line: Line): string =>
  [
    ...(line.isOver ? ["differs"] : []),
    ...(line.theirs === undefined ? ["only ours"] : line.ours === undefined ? ["only theirs"] : []),
    ...(line.isUnfinished ? ["the day is not over"] : []),
    ...wordsOf(line.facts, line.kind === cost)
  ].join(", ")

const columns: Readonly<Record<string, (line: Line) => string>> = {
  day: ({ day }) => day,
  model: ({ model }) => model || "(none)",
  kind: ({ kind }) => kind,
  theirs: ({ kind, theirs }) => amount(kind, theirs),
  ours: ({ kind, ours }) => amount(kind, ours),
  difference: ({ difference, kind }) => signed(kind, difference),
  "%": ({ millionths }) => percent(millionths),
  calls: ({ facts }) => String(facts.calls),
  notes: notesOf
}

const sumOf =
  (kind: string) =>
  ({ line, record }: Behind) => {
    const value = record.shares.find(({ key }) => key === line.key || line.key === "")?.sums.get(kind)
    return value === undefined ? "-" : amount(kind, value)
  }

const callColumns: Readonly<Record<string, (behind: Behind) => string>> = {
  call: ({ record }) => record.call.id,
  at: ({ record }) => new Date(record.at).toISOString(),
  model: ({ line }) => line.model || "(none)",
  upstream: ({ record }) => record.call.upstream ?? "-",
  state: ({ record }) => record.call.cost_state ?? record.call.state,
  input: sumOf("input"),
  "cache read": sumOf("cache_read"),
  "cache write": sumOf("cache_write"),
  output: sumOf("output"),
  cost: sumOf(cost),
  notes: ({ notes }) => notes.join(", ")
}

const remarksOf = ({ lines, statement }: Report): ReadonlyArray<string> => {
  const listed = lines.some(({ facts, kind }) => kind === cost && facts.listed > 0)
  const besides = [...statement.besides].map(([what, exact]) => `Not compared: ${what} of ${usd(nanoOf(exact))} USD.`)
  return [
    ...statement.notes,
    ...besides,
    ...(listed
      ? ["Calls counted by our list have no provider cost. They count at the list price, before account multipliers."]
      : [])
  ]
}

const windowOf = ({ window: { end, start } }: Statement) => ({
  from: new Date(start).toISOString(),
  to: new Date(end).toISOString()
})

const partialOf = ({ spans, window: { end, start } }: Statement): ReadonlyArray<string> =>
  spans.size === 0 ? [] : [...new Set([start, end].filter((time) => time % 86_400_000 !== 0).map(dayOf))]

export const asTables = Effect.fnUntraced(function* (report: Report) {
  const { behind, lines, statement, upstreams } = report
  const { from, to } = windowOf(statement)
  yield* Print.record({
    export: `${statement.provider}, ${from} to ${to}`,
    "calls of": upstreams.length === 0 ? "no upstream" : `${upstreams.join(", ")} (--upstream chooses)`
  })
  yield* Print.line("")
  yield* Print.table(lines, columns, "Neither has anything to compare.")
  if (lines.length > 0) {
    yield* Print.line("")
    yield* Print.table(
      totalsOf(lines),
      {
        total: ({ kind }) => kind,
        theirs: ({ kind, theirs }) => amount(kind, theirs),
        ours: ({ kind, ours }) => amount(kind, ours),
        difference: ({ difference, kind }) => signed(kind, difference)
      },
      ""
    )
  }
  const partial = partialOf(statement).map(
    (day) => `The export has only a part of ${day}; the calls of that part are compared.`
  )
  for (const remark of [...partial, ...remarksOf(report)]) yield* Print.line(`\n${Print.plain(remark)}`)
  if (behind === undefined) return
  yield* Print.line("")
  yield* Print.table(behind.calls, callColumns, "No call is behind lines that differ.")
  if (behind.leftOut > 0) yield* Print.line(`${behind.leftOut} more calls: narrow with --day and --model.`)
})

const shapeOf = (value: bigint | undefined): string | null => (value === undefined ? null : String(value))

const factsShape = (facts: Facts) => ({
  calls: facts.calls,
  estimated: facts.estimated,
  unknown: facts.unknown,
  not_ended: facts.open,
  over_midnight: facts.overMidnight,
  ran_other_models: facts.mixed,
  by_list: facts.listed
})

export const asJson = (report: Report, tolerance: string) => {
  const { behind, lines, statement, upstreams } = report
  return Print.json({
    provider: statement.provider,
    ...windowOf(statement),
    partial_days: partialOf(statement),
    upstreams,
    tolerance_percent: tolerance,
    differs: lines.some(({ isOver }) => isOver),
    lines: lines.map((line) => ({
      day: line.day,
      model: line.model,
      kind: line.kind,
      unit: line.kind === cost ? "nano_usd" : "count",
      theirs: shapeOf(line.theirs),
      ours: shapeOf(line.ours),
      difference: String(line.difference),
      percent: percent(line.millionths).replaceAll(/^\+| %$/g, ""),
      differs: line.isOver,
      day_is_over: !line.isUnfinished,
      ...factsShape(line.facts)
    })),
    totals: totalsOf(lines).map(({ difference, kind, ours, theirs }) => ({
      kind,
      theirs: String(theirs),
      ours: String(ours),
      difference: String(difference)
    })),
    not_compared: Object.fromEntries([...statement.besides].map(([what, exact]) => [what, String(nanoOf(exact))])),
    notes: remarksOf(report),
    ...(behind === undefined
      ? {}
      : {
          calls: behind.calls.map(({ line, notes, record }) => ({
            request_id: record.call.id,
            at: new Date(record.at).toISOString(),
            day: record.day,
            model: line.model,
            upstream: record.call.upstream,
            state: record.call.state,
            cost_state: record.call.cost_state,
            used: record.shares.map(({ name, sums }) => ({
              model: name,
              ...Object.fromEntries([...sums].map(([kind, value]) => [kind, String(value)]))
            })),
            notes
          })),
          calls_left_out: behind.leftOut
        })
  })
}
