import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { CallStory, LoggedCalls, LoggedCallsQuery } from "@tollgate/contract/account/LoggedCall"
import type { AllCalls, AllCallsQuery } from "@tollgate/contract/admin/Call"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"
import { invalid, refuse, type Refused, unavailable } from "@tollgate/contract/errors/Refused"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { make as makeRows, readerOf, type Row, text } from "../store/rows.ts"
import { type Cursor, firstCursor, formatCursor, isStorable, parse, patternOf } from "./callFilter.ts"
import * as Pages from "./callPages.ts"
import type { Owner, TagOwner } from "./Query.ts"
import { columns, loggedCallOf, operatorColumns, operatorStoryOf, storyColumns, storyOf } from "./callFields.ts"
import { labelsOf } from "./sums.ts"
import { StoreTurns } from "./ReportTurns.ts"

const mostFound = 10

const foundOf = readerOf({ id: text, label: text, account: text })

export type Named = Readonly<
  Record<"calls" | "accounts" | "keys" | "grants", ReadonlyArray<ReturnType<typeof foundOf>>>
>

export class CallLog extends Context.Service<
  CallLog,
  {
    /** One page, the newest calls first. A page may be empty although there are more. */
    readonly calls: (owner: Owner, query: LoggedCallsQuery) => Effect.Effect<LoggedCalls, Refused>
    /** The same, of all accounts or of one. */
    readonly allCalls: (query: AllCallsQuery) => Effect.Effect<AllCalls, Refused>
    /** The call, the accounts and the keys that a text names, or whose id or label it is a part of. */
    readonly search: (text: string) => Effect.Effect<Named, Refused>
    /** All that is known of one call, by its request id. Another owner's call is not found. */
    readonly story: (owner: Owner, id: string) => Effect.Effect<CallStory, Refused>
    /** The same, with what only operators see. */
    readonly operatorStory: (account: string, id: string) => Effect.Effect<OperatorCallStory, Refused>
  }
>()("@tollgate/ledger/CallLog") {}

const storeFailed = () => unavailable("The call log is not available.")

const notFound = () => refuse("route_not_found", "There is no such call.")

const tooOld = () => invalid("before", "Too many calls have ended since the first page; begin with it again.")

const idPattern = /^[\w-]{1,100}$/

const selectOf = (columns: string) =>
  `SELECT ${columns.replace(/\w+/g, "c.$&")}, k.label, t.id AS task_id, t.status AS task_status,` +
  " r.amount AS refunded, r.at AS refunded_at, r.note AS refund_note," +
  " (SELECT MAX(i.ends_at) FROM idempotency i WHERE i.call = c.id) AS claim_ends_at," +
  " (SELECT COUNT(*) FROM answers a WHERE a.call = c.id) AS answer_stored" +
  " FROM calls c LEFT JOIN keys k ON k.id = c.key LEFT JOIN tasks t ON t.call = c.id" +
  " LEFT JOIN entries r ON r.call = c.id"

const select = selectOf(storyColumns)
const selectAll = selectOf(operatorColumns)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = makeRows(sql)
  const turns = yield* StoreTurns
  const pages = Pages.make(rows, `account, ${columns}`)

  const labelled = Effect.fnUntraced(function* (calls: ReadonlyArray<Row>, table: "keys" | "accounts", column: string) {
    const ids = new Set(calls.map((row) => text(row, column)))
    const labels = yield* labelsOf(rows, table, ids)
    return (row: Row) => labels.get(text(row, column)) ?? ""
  })

  const loggedCalls = (calls: ReadonlyArray<Row>) =>
    Effect.map(labelled(calls, "keys", "key"), (label) => calls.map((row) => loggedCallOf(row, label(row))))

  const callsOfAll = Effect.fnUntraced(function* (calls: ReadonlyArray<Row>) {
    const label = yield* labelled(calls, "accounts", "account")
    const logged = yield* loggedCalls(calls)
    return calls.map((row, i) => ({ ...logged[i]!, account: text(row, "account"), account_label: label(row) }))
  })

  const find = Effect.fnUntraced(function* (select: string, { account, key, rootKey }: Owner, id: string) {
    if (!idPattern.test(id)) return yield* notFound()
    const ofKey = key === undefined ? sql`` : sql`AND c.key = ${key}`
    const whose = rootKey === undefined ? ofKey : sql`AND COALESCE(k.root_key, k.id) = ${rootKey}`
    const found = rows.query`${rows.literal(select)} WHERE c.id = ${id} AND c.account = ${account} ${whose}`
    const [row] = yield* Effect.mapError(found, storeFailed)
    return row ?? (yield* notFound())
  })

  const pageOf = Effect.fn("CallLog.calls")(function* <A>(
    owner: TagOwner,
    query: LoggedCallsQuery,
    toCalls: (found: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<A>, SqlError>
  ) {
    const shown = (found: ReadonlyArray<Row>, next?: Cursor) =>
      Effect.map(toCalls(found), (calls) => ({
        calls,
        next: next === undefined ? null : formatCursor(next),
        looked_back_to: next?.part === "ended" ? new Date(next.at).toISOString() : null
      }))
    const filter = parse(rows.dialect, owner, query)
    if (Result.isFailure(filter)) {
      const { message, param } = filter.failure
      return yield* invalid(param, `${message}.`)
    }
    const { account } = owner
    const { cursor: given } = filter.success
    const page = Effect.gen(function* () {
      const { text: wanted } = filter.success
      if (given === undefined && wanted !== undefined && idPattern.test(wanted)) {
        const found = yield* pages.byId(account, wanted, filter.success)
        if (found.length > 0) return yield* shown(found)
      }
      const cursor = given ?? firstCursor(yield* pages.newest(account, yield* Clock.currentTimeMillis))
      if (given?.part === "unended" && (yield* pages.isTooOld(account, given))) return undefined
      const { next, rows } = yield* pages.page(account, cursor, filter.success)
      return yield* shown(rows, next)
    })
    return (yield* Effect.mapError(turns.run(page), storeFailed)) ?? (yield* tooOld())
  })

  const findNamed = (columns: string, where: string, value: string) =>
    Effect.map(rows.run(`SELECT id, ${columns} WHERE ${where} LIMIT ${mostFound}`, [value]), (found) =>
      found.map(foundOf)
    )
  const containing = `LOWER(id || ' ' || label) LIKE ${rows.mark(1)} ESCAPE '\\' ORDER BY label, id`

  return CallLog.of({
    search: Effect.fn("CallLog.search")(function* (wanted) {
      if (!isStorable(wanted)) return { calls: [], accounts: [], keys: [], grants: [] }
      const pattern = patternOf(wanted)
      const all = Effect.all({
        calls: findNamed("operation AS label, account FROM calls", `id = ${rows.mark(1)}`, wanted),
        accounts: findNamed("label, id AS account FROM accounts", containing, pattern),
        keys: findNamed("label, account FROM keys", `is_grant = 0 AND ${containing}`, pattern),
        grants: findNamed("label, account FROM keys", `is_grant = 1 AND ${containing}`, pattern)
      })
      return yield* Effect.mapError(turns.run(all), storeFailed)
    }),
    calls: (owner, query) => pageOf(owner, query, loggedCalls),
    allCalls: ({ account, ...query }) => pageOf({ account }, query, callsOfAll),

    story: Effect.fn("CallLog.story")(function* (owner, id) {
      return storyOf(yield* find(select, owner, id))
    }),

    operatorStory: Effect.fn("CallLog.operatorStory")(function* (account, id) {
      return operatorStoryOf(yield* find(selectAll, { account }, id))
    })
  })
})

export const layer: Layer.Layer<CallLog, never, SqlClient> = Layer.provide(
  Layer.effect(CallLog, make),
  StoreTurns.layer
)
