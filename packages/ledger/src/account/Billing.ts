import type {
  AccountBalance,
  MonthSums,
  Statement,
  Statements,
  Transaction,
  TransactionKind,
  Transactions,
  TransactionsQuery
} from "@tollgate/contract/account/Billing"
import { amountOf } from "@tollgate/contract/account/Amount"
import { invalid, refuse, type Refused, unavailable } from "@tollgate/contract/errors/Refused"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { spans } from "../ledger/UsageTotals.ts"
import { amount, make as makeRows, number, readerOf, text, textOrNull } from "../store/rows.ts"
import { time } from "../usage/exportLines.ts"
import type { Window } from "../usage/Query.ts"
import { StoreTurns } from "../usage/ReportTurns.ts"
import { conditions } from "../usage/sums.ts"

/**
 * An account's money as its owner sees it. Charges are read from the totals of days, never from single calls, and every answer is
 * one statement: it reads one snapshot, in which entries less charges are the balance.
 */
export class Billing extends Context.Service<
  Billing,
  {
    readonly balance: (account: string) => Effect.Effect<AccountBalance, Refused>
    readonly transactions: (account: string, query: TransactionsQuery) => Effect.Effect<Transactions, Refused>
    readonly statements: (account: string) => Effect.Effect<Statements, Refused>
    /** The month is named as in `2026-11`. */
    readonly statement: (account: string, month: string) => Effect.Effect<Statement, Refused>
  }
>()("@tollgate/ledger/Billing") {}

const day = spans[2]
const dayOf = (column: string): string => `${column} / ${day} * ${day}`
const forever = Number.MAX_SAFE_INTEGER

const paceDays = 7
const longestMillis = 3_653 * day
const lowMillis = 3 * day
const lowMicros = 1_000_000n

const maxEntries = 1_000
const maxGroups = 500

const dayName = (start: number): string => time(start).slice(0, 10)
const monthName = (at: number): string => time(at).slice(0, 7)
const monthStart = (month: string): number => Date.parse(`${month}-01T00:00:00Z`)
const nextMonth = (start: number): number => monthStart(monthName(start + 31 * day))

const storeFailed = () => unavailable("The account's balance is not available.")
const noMonth = refuse(
  "route_not_found",
  "There is no statement of this month. Name one since the account was made: 2026-11."
)
const badCursor = invalid("before", "the `next` of another page is expected.")

/** Where a page begins: with the charges before the day, and the entries before the time and the id. */
interface Cursor {
  readonly day: number
  readonly at: number
  readonly id: string
}

const parseCursor = (text: string): Cursor | undefined => {
  const [, day, at, id = ""] = /^(\d{1,15})\.(\d{1,15})\.(.*)$/s.exec(text) ?? []
  return day === undefined ? undefined : { day: Number(day), at: Number(at), id }
}

/** The charges of a day come after all else of the day. */
const cursorAfter = ({ at, id, kind }: Read): string =>
  kind === "charges" ? `${at}.${at + day}.` : `${Math.floor(at / day) * day}.${at}.${id}`

const isNewer = (one: Read, other: Read): boolean => {
  const [a, b] = [one, other].map(({ at, kind }) => (kind === "charges" ? at + day - 0.5 : at)) as [number, number]
  return a === b ? one.id > other.id : a > b
}

const readOf = readerOf({
  part: text,
  id: text,
  kind: text,
  at: number,
  amount,
  call: textOrNull,
  note: text,
  requests: amount
})

/** A row of any of the statements below. */
type Read = ReturnType<typeof readOf>

const transactionOf = ({ amount, at, call, id, kind, note, requests }: Read): Transaction => ({
  id: kind === "charges" ? dayName(at) : id,
  kind: kind as TransactionKind,
  at: time(at),
  amount_micros_usd: amountOf(amount),
  call,
  note,
  requests: Number(requests)
})

const sum = (all: ReadonlyArray<Read>): bigint => all.reduce((total, { amount }) => total + amount, 0n)

const monthSums = (all: ReadonlyArray<Read>, start: number, opening: bigint, now: number): MonthSums => {
  const of = (kind: TransactionKind) => amountOf(sum(all.filter((one) => one.kind === kind)))
  return {
    month: monthName(start),
    ended: nextMonth(start) <= now,
    opening_micros_usd: amountOf(opening),
    topups_micros_usd: of("topup"),
    credits_micros_usd: of("credit"),
    refunds_micros_usd: of("refund"),
    reversals_micros_usd: of("reversal"),
    adjustments_micros_usd: of("adjustment"),
    charges_micros_usd: of("charges"),
    requests: Number(all.reduce((total, { requests }) => total + requests, 0n)),
    closing_micros_usd: amountOf(opening + sum(all))
  }
}

const within = (all: ReadonlyArray<Read>, { end, start }: Window) => all.filter(({ at }) => at >= start && at < end)

const make = Effect.gen(function* () {
  const rows = makeRows(yield* SqlClient)
  const turns = yield* StoreTurns
  const { isShared } = rows.dialect

  const parts = (account: string) => {
    const { bind, ofUsedKeys, values, within } = conditions(rows)
    const whose = () => `account = ${bind(account)}`

    const columns = (
      part: string,
      of: { readonly [K in "amount" | "at" | "call" | "id" | "kind" | "note" | "requests"]?: string }
    ) =>
      `SELECT '${part}' AS part, ${of.id ?? "''"} AS id, ${of.kind ?? "''"} AS kind, ${of.at ?? "0"} AS at,` +
      ` ${of.amount ?? "0"} AS amount, ${of.call ?? "NULL"} AS call, ${of.note ?? "''"} AS note, ${of.requests ?? "0"} AS requests`

    /** The totals of days, also those of calls that are not in the totals yet. Values are bound in the order of the text. */
    const totalsOf = (id: string, table: string, window: Window, used = () => "") =>
      `SELECT ${id} AS id, start, requests, charged FROM ${table}` +
      ` WHERE ${whose()}${used()} AND span = ${day} AND ${within(window)}` +
      (isShared
        ? ` UNION ALL SELECT ${id}, ${dayOf("at")}, requests, charged FROM usage_deltas` +
          ` WHERE ${whose()} AND at >= ${bind(window.start)} AND at < ${bind(window.end)}`
        : "")

    const charges = (part: string, window: Window, isPage = "") =>
      `${columns(part, { kind: "'charges'", at: "start", amount: "-SUM(charged)", requests: "SUM(requests)" })}` +
      ` FROM (${totalsOf("''", "account_sums", window)}) AS days GROUP BY start${isPage}`

    const entry = { id: "id", kind: "kind", at: "at", amount: "amount", call: "call", note: "note" }

    return {
      values,
      bind,
      charges,
      account: () =>
        columns("account", { id: "label", at: "created_at", amount: "balance" }) +
        ` FROM accounts WHERE id = ${bind(account)}`,
      reserved: () => columns("reserved", { amount: "reserved" }) + ` FROM accounts WHERE id = ${bind(account)}`,
      entries: (part: string, condition: () => string) =>
        `${columns(part, entry)} FROM entries WHERE ${whose()} AND ${condition()}`,
      entriesByDay: (start: number) =>
        `${columns("entries", { kind: "kind", at: dayOf("at"), amount: "SUM(amount)" })} FROM entries` +
        ` WHERE ${whose()} AND at >= ${bind(start)} GROUP BY kind, ${dayOf("at")}`,
      groups: (window: Window) =>
        `${columns("group", { id: "id", amount: "SUM(charged)", requests: "SUM(requests)" })} FROM (` +
        totalsOf("operation || ' ' || model", "operation_sums", window, () => ` AND ${ofUsedKeys(account, window)}`) +
        `) AS operations GROUP BY id ORDER BY amount DESC, requests DESC, id LIMIT ${maxGroups}`
    }
  }

  type Parts = ReturnType<typeof parts>

  const read = Effect.fnUntraced(function* (account: string, statementOf: (of: Parts) => ReadonlyArray<string>) {
    const of = parts(account)
    const statement = statementOf(of)
      .map((part, i) => `SELECT * FROM (${part}) AS part_${i}`)
      .join(" UNION ALL ")
    const found = (yield* rows.run(statement, of.values)).map(readOf)
    const part = (name: string) => found.filter((row) => row.part === name)
    const [owner] = part("account")
    return { part, created: owner?.at ?? 0, label: owner?.id ?? "", balance: owner?.amount ?? 0n }
  })

  const inTurn = <A>(effect: Effect.Effect<A, Refused | SqlError>): Effect.Effect<A, Refused> =>
    Effect.catchTag(turns.run(effect), "SqlError", () => Effect.fail(storeFailed()))

  /** Everything that moved since a day, by day and kind. */
  const since = (of: Parts, start: number) => [
    of.account(),
    of.entriesByDay(start),
    of.charges("charges", { start, end: forever })
  ]

  return Billing.of({
    balance: Effect.fn("Billing.balance")(function* (account) {
      const now = yield* Clock.currentTimeMillis
      const start = Math.max(0, (Math.floor(now / day) - paceDays) * day)
      const found = yield* inTurn(
        read(account, (of) => [of.account(), of.reserved(), of.charges("charges", { start, end: forever })])
      )
      const charges = found.part("charges").filter(({ amount }) => amount !== 0n)
      const first = Math.min(now, ...charges.map(({ at }) => at))
      const passed = BigInt(Math.max(day, now - first))
      const charged = -sum(charges)
      const reserved = sum(found.part("reserved"))
      const available = found.balance - reserved
      const left = available <= 0n ? 0n : charged <= 0n ? undefined : (available * passed) / charged
      const lasts = left === undefined || left > BigInt(longestMillis) ? undefined : Number(left)
      return {
        balance_micros_usd: amountOf(found.balance),
        reserved_micros_usd: amountOf(reserved),
        available_micros_usd: amountOf(available),
        day_micros_usd: amountOf((charged * BigInt(day)) / passed),
        lasts_until: lasts === undefined ? null : time(now + lasts),
        is_low: available < lowMicros || (lasts !== undefined && lasts < lowMillis)
      }
    }),

    transactions: Effect.fn("Billing.transactions")(function* (account, { before, limit = 50 }) {
      const cursor = before === undefined ? { day: forever, at: forever, id: "" } : parseCursor(before)
      if (cursor === undefined) return yield* badCursor
      const found = yield* inTurn(
        read(account, (of) => {
          const than = (sign: string) => () => `(at, id) ${sign} (${of.bind(cursor.at)}, ${of.bind(cursor.id)})`
          return [
            of.account(),
            // One more than the page shows whether there are others.
            `${of.entries("page", than("<"))} ORDER BY at DESC, id DESC LIMIT ${limit + 1}`,
            of.charges(
              "page",
              { start: 0, end: cursor.day },
              ` HAVING SUM(charged) <> 0 ORDER BY start DESC LIMIT ${limit + 1}`
            ),
            ...(before === undefined
              ? []
              : [of.entries("newer", than(">=")), of.charges("newer", { start: cursor.day, end: forever })])
          ]
        })
      )
      const all = found.part("page").toSorted((one, other) => (isNewer(one, other) ? -1 : 1))
      const page = all.slice(0, limit)
      let balance = found.balance - sum(found.part("newer"))
      const last = page.at(-1)
      return {
        transactions: page.map((one) => {
          const shown = { ...transactionOf(one), balance_micros_usd: amountOf(balance) }
          balance -= one.amount
          return shown
        }),
        next: all.length > limit && last !== undefined ? cursorAfter(last) : null
      }
    }),

    statements: Effect.fn("Billing.statements")(function* (account) {
      const now = yield* Clock.currentTimeMillis
      const found = yield* inTurn(read(account, (of) => since(of, 0)))
      const all = [...found.part("entries"), ...found.part("charges")]
      const first = monthStart(monthName(Math.min(found.created, ...all.map(({ at }) => at))))
      const last = Math.max(now, ...all.map(({ at }) => at))
      const months: Array<MonthSums> = []
      let opening = found.balance - sum(all)
      for (let start = first; start <= last; start = nextMonth(start)) {
        const moved = within(all, { start, end: nextMonth(start) })
        months.push(monthSums(moved, start, opening, now))
        opening += sum(moved)
      }
      return { months: months.toReversed() }
    }),

    statement: Effect.fn("Billing.statement")(function* (account, month) {
      if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) return yield* noMonth
      const now = yield* Clock.currentTimeMillis
      const start = monthStart(month)
      if (start > now) return yield* noMonth
      const window = { start, end: nextMonth(start) }
      const found = yield* inTurn(
        read(account, (of) => [
          ...since(of, start),
          `${of.entries("listed", () => `at >= ${of.bind(start)} AND at < ${of.bind(window.end)}`)}` +
            ` ORDER BY at, id LIMIT ${maxEntries}`,
          of.groups(window)
        ])
      )
      if (window.end <= found.created) return yield* noMonth
      const all = [...found.part("entries"), ...found.part("charges")]
      const moved = within(all, window)
      const sums = monthSums(moved, start, found.balance - sum(all), now)
      const charges = moved.filter(({ kind }) => kind === "charges")
      const listed = [...found.part("listed"), ...charges.filter(({ amount }) => amount !== 0n)]
      const groups = found.part("group")
      const rest = {
        amount: -sum(charges) - sum(groups),
        requests: BigInt(sums.requests) - groups.reduce((total, { requests }) => total + requests, 0n)
      }
      return {
        account,
        account_label: found.label,
        currency: "USD",
        as_of: time(now),
        ...sums,
        transactions: listed.toSorted((one, other) => (isNewer(one, other) ? 1 : -1)).map(transactionOf),
        left_out_micros_usd: amountOf(sum(moved) - sum(listed)),
        by_operation: [
          ...groups,
          ...(rest.amount === 0n && rest.requests === 0n ? [] : [{ id: "other ", ...rest }])
        ].map(({ amount, id, requests }) => ({
          operation: id.slice(0, id.indexOf(" ")),
          // Only a model can contain spaces.
          model: id.slice(id.indexOf(" ") + 1),
          requests: Number(requests),
          charged_micros_usd: amountOf(amount)
        }))
      }
    })
  })
})

export const layer: Layer.Layer<Billing, never, SqlClient> = Layer.provide(
  Layer.effect(Billing, make),
  StoreTurns.layer
)
