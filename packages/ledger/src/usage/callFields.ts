import type { Amount } from "@tollgate/contract/account/Amount"
import type { CallStory, LoggedCall, LoggedState, TriedUpstream } from "@tollgate/contract/account/LoggedCall"
import { safeMicros } from "@tollgate/contract/Money"
import { formatTags } from "@tollgate/contract/Tags"
import { callColumns, type Kind, type Reader } from "../ledger/callColumns.ts"
import { errorIn } from "../ledger/Command.ts"
import { gapsIn, sentTags } from "../ledger/recorded.ts"
import { amount, amountOrNull, number, numberOrNull, type Row, text, textOrNull } from "../store/rows.ts"
import { type Cell, time } from "./exportLines.ts"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"

type Read<A> = (row: Row, name: string) => A

const orNull =
  <A, B>(read: Read<A | null>, then: (value: A) => B): Read<B | null> =>
  (row, name) => {
    const value = read(row, name)
    return value === null ? null : then(value)
  }

const micros: Read<Amount> = (row, name) => safeMicros(amount(row, name)) ?? text(row, name)

/** A value as answers have it, and as a cell of an export, if that is another. */
const readers = {
  text: { shown: text },
  optionalText: { shown: textOrNull },
  // The ledger wrote it.
  state: { shown: (row, name) => text(row, name) as LoggedState, cell: text },
  costState: { shown: (row, name) => textOrNull(row, name) as "settled" | "estimated" | null, cell: textOrNull },
  flag: { shown: (row, name) => number(row, name) === 1 },
  count: { shown: number, cell: amount },
  optionalCount: { shown: numberOrNull, cell: amountOrNull },
  time: { shown: (row, name) => time(number(row, name)) },
  optionalTime: { shown: orNull(numberOrNull, time) },
  micros: { shown: micros, cell: amount },
  optionalMicros: { shown: orNull(amountOrNull, (value) => safeMicros(value) ?? String(value)), cell: amountOrNull },
  nanos: { shown: text, cell: amount },
  optionalNanos: { shown: textOrNull, cell: amountOrNull },
  tags: {
    shown: (row, name) => (row[name] === null ? {} : sentTags(text(row, name))),
    cell: orNull(textOrNull, (tags) => formatTags(sentTags(tags)) || null)
  },
  gaps: { shown: (row, name) => gapsIn(textOrNull(row, name)), cell: textOrNull },
  json: { shown: orNull(textOrNull, (json): unknown => JSON.parse(json)), cell: textOrNull },
  error: { shown: orNull(textOrNull, errorIn), cell: orNull(textOrNull, (error) => error.trim()) }
} as const satisfies Readonly<Record<Kind, { readonly shown: Read<unknown>; readonly cell?: Read<Cell> }>>

type Columns = typeof callColumns
type Shown<R> = {
  readonly [
    C in keyof Columns as Columns[C]["to"] extends R
      ? Columns[C] extends { readonly as: infer A extends string }
        ? A
        : C
      : never
  ]: (typeof readers)[Columns[C]["kind"]]
}
type ShownTo<R> = { readonly [F in keyof Shown<R>]: Shown<R>[F] extends { readonly shown: Read<infer A> } ? A : never }

/** The columns that some readers see, and what answers have of them. */
const shownTo = <R extends Reader>(...to: ReadonlyArray<R>) => {
  const columns = columnsTo(to)
  return {
    names: columns.map(({ name }) => name),
    read: (row: Row) =>
      Object.fromEntries(columns.map(({ as, kind, name }) => [as, readers[kind].shown(row, name)])) as ShownTo<R>
  }
}

const columnsTo = (to: ReadonlyArray<Reader>) =>
  Object.entries(callColumns).flatMap(([name, column]) =>
    to.includes(column.to) ? [{ name, as: "as" in column ? column.as : name, kind: column.kind }] : []
  )

type Cells = Shown<Exclude<Reader, "nobody">>
type CellsOf = {
  readonly [F in keyof Cells]: Cells[F] extends { readonly cell: Read<infer A> }
    ? A
    : Cells[F] extends { readonly shown: Read<infer A> }
      ? A
      : never
}

/** One line of the exported log. Amounts are micro-USD unless they say otherwise, times are UTC, tags as the caller sent them. */
export interface ExportedCall extends CellsOf {
  readonly kept: boolean
  readonly margin_nano_usd: bigint | null
}

const exported = columnsTo(["list", "story", "operator"])

export const exportedColumns = exported.map(({ name }) => name).join(", ")

export const exportedNames = [...exported.map(({ as }) => as), "kept", "margin_nano_usd"] as ReadonlyArray<
  keyof ExportedCall
>

export const exportedCallOf = (row: Row): ExportedCall => {
  const cells = Object.fromEntries(
    exported.map(({ as, kind, name }) => {
      const reader: { readonly shown: Read<unknown>; readonly cell?: Read<Cell> } = readers[kind]
      return [as, (reader.cell ?? reader.shown)(row, name)]
    })
  ) as CellsOf
  return { ...cells, kept: isCached(row), margin_nano_usd: marginOf(row) }
}

const isCached = (row: Row): boolean => textOrNull(row, "evidence")?.startsWith('{"kind":"kept",') === true

const marginOf = (row: Row): bigint | null => {
  const cost = amountOrNull(row, "cost_nano")
  return cost === null ? null : amount(row, "charged") * 1000n - cost
}

const list = shownTo("list")
const story = shownTo("list", "story")
const operator = shownTo("operator")

/** The columns of `calls` that `loggedCallOf` reads, and what was refunded. */
export const columns = [
  ...list.names,
  "evidence",
  "(SELECT e.amount FROM entries e WHERE e.call = calls.id) AS refunded"
].join(", ")
export const storyColumns = story.names.join(", ")
export const operatorColumns = [...story.names, ...operator.names].join(", ")

const refundedIn = (row: Row): Amount => (row.refunded === null ? 0 : micros(row, "refunded"))

export const loggedCallOf = (row: Row, label: string): LoggedCall => ({
  ...list.read(row),
  key_label: label,
  refunded_micros_usd: refundedIn(row),
  kept: isCached(row)
})

/** Nothing is stored where the first upstream answered. */
const triedOf = (tried: unknown, upstream: string | null): ReadonlyArray<TriedUpstream> =>
  (tried as ReadonlyArray<TriedUpstream> | null) ?? (upstream === null ? [] : [{ upstream, outcome: "answered" }])

/** The row has the label, the refund, the idempotency claim and the task too. */
export const storyOf = (row: Row): CallStory => {
  const until = numberOrNull(row, "claim_ends_at")
  const task = textOrNull(row, "task_id")
  const refundedAt = numberOrNull(row, "refunded_at")
  const shown = story.read(row)
  return {
    ...shown,
    key_label: textOrNull(row, "label") ?? "",
    kept: isCached(row),
    refunded_micros_usd: refundedIn(row),
    refund: refundedAt === null ? null : { at: time(refundedAt), note: text(row, "refund_note") },
    tried: triedOf(shown.tried, shown.upstream),
    idempotency: until === null ? null : { until: time(until), answer_stored: number(row, "answer_stored") === 1 },
    task: task === null ? null : { id: task, status: text(row, "task_status") }
  }
}

export const operatorStoryOf = (row: Row): OperatorCallStory => {
  const margin = marginOf(row)
  return { ...storyOf(row), ...operator.read(row), margin_nano_usd: margin === null ? null : String(margin) }
}
