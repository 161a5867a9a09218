import { UsageLog } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { withProgress } from "../terminal/progress.ts"
import type { Line } from "./Comparison.ts"
import { type CallRecord, recordOf, Records } from "./Records.ts"
import type { Span, Statement } from "./Statement.ts"

export interface Ours {
  readonly aliases: ReadonlyMap<string, string>
  /** Only calls that these upstreams answered. Empty: those that answered with a model of the statement. */
  readonly upstreams: ReadonlyArray<string>
  readonly from: number | undefined
  /** Exclusive. */
  readonly to: number | undefined
}

/** The spans in order, those that meet as one. */
const joined = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const found: Array<{ start: number; end: number }> = []
  for (const { end, start } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = found.at(-1)
    if (last !== undefined && last.end >= start) last.end = Math.max(last.end, end)
    else found.push({ start, end })
  }
  return found
}

/** OpenAI has addresses of their own for embeddings. */
const isOfResults = (operation: string, results: ReadonlySet<string>): boolean => {
  const embeds = /embed/i.test(operation)
  if (results.has("completions") && !results.has("embeddings")) return !embeds
  return results.has("embeddings") && !results.has("completions") && !results.has("costs") ? embeds : true
}

/** The calls in the time that the statement covers. */
const calls = (statement: Statement, { aliases, from = 0, to }: Ours) => {
  const spans = joined([...statement.spans.values()])
  const start = Math.max(from, spans[0]?.start ?? 0)
  const end = Math.min(to ?? Number.MAX_SAFE_INTEGER, spans.at(-1)?.end ?? 0)
  const isCovered = (at: number) => at >= start && at < end && spans.some((span) => at >= span.start && at < span.end)
  return UsageLog.stream({ start, end }).pipe(
    Stream.map((call) => recordOf(call, aliases)),
    Stream.filter(
      (record): record is CallRecord =>
        record !== undefined && isCovered(record.at) && isOfResults(record.call.operation, statement.results)
    )
  )
}

export const readRecords = Effect.fnUntraced(function* (statement: Statement, ours: Ours) {
  const byUpstream = new Map<string, Records>()
  yield* withProgress(
    "Reading recorded calls",
    Stream.runForEach(calls(statement, ours), (record) =>
      Effect.sync(() => {
        const name = record.call.upstream ?? ""
        const records = byUpstream.get(name) ?? new Records()
        records.add(record)
        byUpstream.set(name, records)
      })
    )
  )
  const named = [...byUpstream.keys()].filter((name) => name !== "")
  const theirs = new Set([...statement.lines.values()].map(({ key }) => key))
  const skus =
    statement.provider === "google" ? [...theirs].map((key) => `-${key.replaceAll(/[^a-z0-9]+/g, "-")}-`) : []
  const isTheirs = (key: string) => theirs.has(key) || (key !== "" && skus.some((sku) => sku.includes(`-${key}-`)))
  const alike = named.filter((name) =>
    [...(byUpstream.get(name)?.lines.values() ?? [])].some(({ key }) => isTheirs(key))
  )
  const upstreams = (
    ours.upstreams.length > 0 ? ours.upstreams : alike.length > 0 && statement.namesModels ? alike : named
  ).toSorted()
  const records = new Records()
  // A call whose end is unknown may have no upstream: it may have reached any.
  for (const name of [...upstreams, ""]) {
    const found = byUpstream.get(name)
    if (found !== undefined) records.addAll(found)
  }
  return { records, upstreams }
})

/** A call behind a line, and what is special about it. */
export interface Behind {
  readonly record: CallRecord
  readonly line: Line
  readonly notes: ReadonlyArray<string>
}

/** More than this are not listed. */
const most = 10_000

const notesOf = ({ call, facts, shares }: CallRecord, lines: ReadonlyArray<Line>): ReadonlyArray<string> => {
  const equal = lines.filter(({ difference, isOver, key, kind }) => {
    const own = shares.find((share) => share.key === key)?.sums.get(kind)
    return isOver && own !== undefined && own !== 0n && -difference === own
  })
  return [
    ...(facts.unknown > 0 ? ["unknown end"] : []),
    ...(facts.open > 0 ? ["not ended"] : []),
    ...(equal.length > 0 ? [`equals the difference of ${equal.map(({ kind }) => kind).join(", ")}`] : []),
    ...(facts.estimated > 0 ? ["estimated"] : []),
    ...(facts.overMidnight > 0 ? ["over midnight"] : []),
    ...(facts.mixed > 0 ? ["ran other models too"] : []),
    ...(call.loss_micros_usd > 0n ? ["above the caller's cap"] : [])
  ]
}

/** The calls behind the lines. Those with something special come first, then the others by time. */
export const readCalls = Effect.fnUntraced(function* (
  statement: Statement,
  ours: Ours,
  upstreams: ReadonlyArray<string>,
  lines: ReadonlyArray<Line>
) {
  const byId = Map.groupBy(lines, ({ day, key }) => `${day} ${statement.namesModels ? key : ""}`)
  const [marked, plain]: [Array<Behind>, Array<Behind>] = [[], []]
  let leftOut = 0
  yield* Stream.runForEach(calls(statement, ours), (record) =>
    Effect.sync(() => {
      if (record.call.upstream !== null && !upstreams.includes(record.call.upstream)) return
      const found = record.shares.flatMap(
        ({ key }) => byId.get(`${record.day} ${statement.namesModels ? key : ""}`) ?? []
      )
      const [line] = found
      if (line === undefined) return
      const notes = notesOf(record, found)
      const list = notes.length > 0 ? marked : plain
      if (list.length >= most) leftOut++
      else list.push({ record, line, notes })
    })
  )
  const listed = [...marked, ...plain]
  return { calls: listed.slice(0, most), leftOut: leftOut + Math.max(0, listed.length - most) }
})
