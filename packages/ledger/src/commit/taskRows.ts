import { nano } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import type { TaskStatus } from "@tollgate/contract/Task"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { settledCharge } from "./callRows.ts"
import type { Command, CommandOf } from "../ledger/Command.ts"
import { reservationIn } from "../ledger/callColumns.ts"
import type { Applied, Transition } from "../ledger/Transition.ts"
import { amount, micros, number, numberOrNull, readerOf, type Row, type Rows, text } from "../store/rows.ts"
import type { Statement, Statements, Value } from "../store/statements.ts"
import type { ListedTask, RunningTask, TaskTerm } from "../ledger/Task.ts"

type Begin = CommandOf<"begin">

const columns: Readonly<Record<string, (begin: Begin) => Value | undefined>> = {
  id: ({ begun }) => begun.id,
  call: ({ reservation }) => reservation.call,
  account: ({ reservation }) => reservation.account,
  owner: ({ begun }) => begun.owner,
  provider: ({ begun }) => begun.provider,
  upstream: ({ begun }) => begun.upstreamId,
  price: ({ begun }) => begun.price,
  multiplier: ({ begun }) => begun.multiplier,
  terms: ({ begun }) => begun.terms,
  cost: ({ begun }) => begun.cost,
  cost_terms: ({ begun }) => begun.costTerms,
  created_at: ({ now }) => now,
  status: ({ begun }) => begun.status,
  body: ({ begun }) => begun.body
}

const begunBy = (transitions: ReadonlyArray<Transition>): ReadonlyArray<Begin> =>
  transitions.filter((transition) => transition.kind === "begin")

const nameOf = ({ begun: { provider, upstreamId } }: Begin): string => `tasks ${provider} ${upstreamId}`

/**
 * Of two gateways that begin the same task of an upstream, one waits for the other's commit. These locks are taken before
 * all others, and in order, so that nobody who holds one waits for somebody who wants it.
 */
export const lockBegun = (
  { dialect: { lockName } }: Statements,
  transitions: ReadonlyArray<Transition>
): ReadonlyArray<Statement> =>
  lockName === undefined
    ? []
    : [...new Set(begunBy(transitions).map(nameOf))].toSorted().map((name) => ({ text: lockName, values: [name] }))

/** For each task that begins: whether it is that of another account, or of another call whose end is not known. */
export const selectOthers = ({ mark }: Statements, transitions: ReadonlyArray<Transition>): ReadonlyArray<Statement> =>
  begunBy(transitions).map(({ begun: { provider, upstreamId }, reservation: { account, call } }) => ({
    text:
      `SELECT 1 FROM tasks WHERE upstream = ${mark(1)} AND provider = ${mark(2)} AND call <> ${mark(3)}` +
      ` AND (account <> ${mark(4)} OR ended_at IS NULL OR status = 'UNKNOWN') LIMIT 1`,
    values: [upstreamId, provider, call, account]
  }))

/**
 * Those that begin the task of another call. Whoever got it would read its result, or pay for it.
 * `others`: what `selectOthers` of the same transitions has read.
 */
export const takenIn = (
  transitions: ReadonlyArray<Transition>,
  others: ReadonlyArray<ReadonlyArray<Row>>
): ReadonlySet<Transition> => {
  const calls = new Map<string, string>()
  const taken = begunBy(transitions).filter((begin, i) => {
    const { call } = begin.reservation
    const name = nameOf(begin)
    const first = calls.get(name) ?? call
    const isTaken = first !== call || (others[i] ?? []).length > 0
    if (!isTaken) calls.set(name, call)
    return isTaken
  })
  return new Set(taken)
}

/** Part of the ledger's transaction that carries out these commands. */
export const recordBegun = ({ insert }: Statements, commands: ReadonlyArray<Begin>): ReadonlyArray<Statement> =>
  insert(
    "tasks",
    Object.keys(columns),
    commands.map((begin) => Object.values(columns).map((read) => read(begin) ?? null))
  )

/** Another gateway has marked these calls unknown and took them over. The one that began the task watches it. */
export const takeBack = (
  { mark }: Statements,
  applied: ReadonlyArray<Applied>,
  owner: string
): ReadonlyArray<Statement> =>
  applied.flatMap(({ before, transition: { kind, reservation } }) =>
    kind === "begin" && before.state === "unknown"
      ? [{ text: `UPDATE calls SET owner = ${mark(1)} WHERE id = ${mark(2)}`, values: [owner, reservation.call] }]
      : []
  )

/** Part of the ledger's transaction, too. Also ends the task of a call that has ended before, and one that was given up. */
export const recordEnded = ({ mark }: Statements, commands: ReadonlyArray<Command>): ReadonlyArray<Statement> =>
  commands.flatMap((command) => {
    const task = "task" in command ? command.task : undefined
    if (task === undefined) return []
    const text =
      `UPDATE tasks SET status = ${mark(1)}, body = ${mark(2)}, ended_at = ${mark(3)}, expires_at = ${mark(4)}` +
      ` WHERE id = ${mark(5)} AND (ended_at IS NULL OR status = 'UNKNOWN')`
    return [{ text, values: [task.status, task.body, command.now, task.expiresAt, task.id] }]
  })

const runningTask = (row: Row): RunningTask => ({
  id: text(row, "id"),
  upstreamId: text(row, "upstream"),
  provider: text(row, "provider"),
  owner: text(row, "owner"),
  price: nano(amount(row, "price")),
  multiplier: amount(row, "multiplier"),
  ...(row["terms"] === null ? {} : { terms: text(row, "terms") }),
  ...(row["cost"] === null ? {} : { cost: nano(amount(row, "cost")) }),
  ...(row["cost_terms"] === null ? {} : { costTerms: text(row, "cost_terms") }),
  // The gateway decoded it before it was stored.
  status: text(row, "status") as TaskStatus,
  body: text(row, "body"),
  createdAt: number(row, "created_at"),
  reservation: reservationIn({ ...row, id: row["call"], created_at: row["called_at"] })
})

const isGivenUp = (row: Row): boolean => text(row, "status") === "UNKNOWN" && text(row, "state") === "unknown"

const columnsOfCall =
  "c.key, c.operation, c.reserved, c.cap, c.model, c.tags, c.created_at AS called_at, c.state, c.charged, c.cost_state, c.owner AS gateway"

/** What the call of an ended task cost. */
const chargeOf = (row: Row): Charge => {
  switch (text(row, "state")) {
    case "settled":
      return settledCharge(row)
    case "unknown":
      return { state: "unknown" }
    default:
      return { state: "none", micros: 0 }
  }
}

const mostListed = 200
const mostGivenUp = 1_000

const listedTask: (row: Row) => ListedTask = readerOf({
  id: text,
  call: text,
  operation: text,
  status: text,
  // The call of a task has one of these states.
  state: (row) => text(row, "state") as ListedTask["state"],
  createdAt: number,
  endedAt: numberOrNull,
  reserved: micros,
  charged: micros
})

const termOf: (row: Row) => TaskTerm = readerOf({
  operation: text,
  createdAt: number,
  endedAt: numberOrNull,
  expiresAt: numberOrNull
})

type StoredTask =
  /** `gateway`: the one that watches it. */
  | { readonly kind: "running"; readonly task: RunningTask; readonly gateway: string }
  /** Its end is not known, and may become known. */
  | { readonly kind: "given up"; readonly task: RunningTask }
  | { readonly kind: "finished"; readonly operation: string; readonly body: string; readonly charge: Charge }

const storedTask = (row: Row): StoredTask => {
  if (row["ended_at"] === null) return { kind: "running", task: runningTask(row), gateway: text(row, "gateway") }
  if (isGivenUp(row)) return { kind: "given up", task: runningTask(row) }
  return { kind: "finished", operation: text(row, "operation"), body: text(row, "body"), charge: chargeOf(row) }
}

/** Reads of the `tasks` table, and the writes outside the ledger's transactions. */
export const make = ({ literal, query, sql }: Rows) => {
  const ofCall = literal(columnsOfCall)
  const select = literal(`SELECT t.*, ${columnsOfCall} FROM tasks t JOIN calls c ON c.id = t.call`)
  return {
    running: Effect.map(query`${select} WHERE t.ended_at IS NULL`, (rows) => rows.map(runningTask)),

    /** Those that this gateway watches, after it took over those of gateways that are gone. Each is taken by one. */
    watchedBy: (gateway: string) =>
      query`UPDATE calls SET owner = ${gateway} WHERE id IN (SELECT c.id FROM tasks t JOIN calls c ON c.id = t.call
        WHERE t.ended_at IS NULL AND NOT EXISTS (SELECT 1 FROM gateways g WHERE g.id = c.owner)
        FOR UPDATE OF c SKIP LOCKED)`.pipe(
        Effect.andThen(query`${select} WHERE t.ended_at IS NULL AND c.owner = ${gateway}`),
        Effect.map((rows) => rows.map(runningTask))
      ),

    /** Those whose end is not known, of this gateway and of those that are gone. `undefined`: it is alone. */
    givenUp: (gateway: string | undefined) => {
      const isOther = literal("EXISTS (SELECT 1 FROM gateways g WHERE g.id = c.owner)")
      const whose = gateway === undefined ? literal("") : sql`AND (c.owner = ${gateway} OR NOT ${isOther})`
      return Effect.map(
        query`${select} WHERE t.status = 'UNKNOWN' AND t.ended_at IS NOT NULL AND c.state = 'unknown' ${whose}
          ORDER BY t.ended_at LIMIT ${mostGivenUp}`,
        (rows) => rows.map(runningTask)
      )
    },

    /** If the store fails it is not: the next read of all tasks decides. */
    isWatchedBy: (id: string, gateway: string) =>
      query`SELECT 1 FROM tasks t JOIN calls c ON c.id = t.call WHERE t.id = ${id} AND c.owner = ${gateway}`.pipe(
        Effect.map((found) => found.length > 0),
        Effect.orElseSucceed(() => false)
      ),

    find: (id: string, account: string, now: number) =>
      Effect.map(
        query`${select} WHERE t.id = ${id} AND t.account = ${account} AND (t.expires_at IS NULL OR t.expires_at > ${now})`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), storedTask)
      ),

    /** `undefined`: the account has no such task, or it has expired. */
    termOf: (id: string, account: string, now: number) =>
      Effect.map(
        query`SELECT c.operation, t.created_at, t.ended_at, t.expires_at FROM tasks t JOIN calls c ON c.id = t.call
          WHERE t.id = ${id} AND t.account = ${account} AND (t.expires_at IS NULL OR t.expires_at > ${now})`,
        ([row]) => row && termOf(row)
      ),

    /** The newest first. Those that have ended stay until they expire. `owner`: only the tasks of this one. */
    startedBy: (account: string, owner: string | undefined, now: number) => {
      const whose = owner === undefined ? literal("") : sql`AND t.owner = ${owner}`
      return Effect.map(
        query`SELECT t.id, t.call, t.status, t.created_at, t.ended_at, ${ofCall}
          FROM tasks t JOIN calls c ON c.id = t.call WHERE t.account = ${account}
          AND (t.expires_at IS NULL OR t.expires_at > ${now}) ${whose} ORDER BY t.created_at DESC, t.id LIMIT ${mostListed}`,
        (rows) => rows.map(listedTask)
      )
    },

    updateStatus: (id: string, status: TaskStatus, body: string) =>
      query`UPDATE tasks SET status = ${status}, body = ${body} WHERE id = ${id} AND ended_at IS NULL`
  }
}

export type TaskRecords = ReturnType<typeof make>
