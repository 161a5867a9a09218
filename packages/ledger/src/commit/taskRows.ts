import { micro, nano } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import type { TaskStatus } from "@tollgate/contract/Task"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { settledCharge } from "./callRows.ts"
import type { Command, CommandOf } from "../ledger/Command.ts"
import { reservationIn } from "../ledger/callColumns.ts"
import type { Applied, Transition } from "../ledger/Transition.ts"
import { amount, number, numberOrNull, type Row, type Rows, text } from "../store/rows.ts"
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
const select = `SELECT t.*, ${columnsOfCall} FROM tasks t JOIN calls c ON c.id = t.call`

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

const listedTask = (row: Row): ListedTask => ({
  id: text(row, "id"),
  call: text(row, "call"),
  operation: text(row, "operation"),
  status: text(row, "status"),
  // The call of a task has one of these states.
  state: text(row, "state") as ListedTask["state"],
  createdAt: number(row, "created_at"),
  endedAt: numberOrNull(row, "ended_at"),
  reserved: micro(amount(row, "reserved")),
  charged: micro(amount(row, "charged"))
})

export type StoredTask =
  /** `gateway`: the one that watches it. */
  | { readonly kind: "running"; readonly task: RunningTask; readonly gateway: string }
  /** Its end is not known, and may become known. */
  | { readonly kind: "given up"; readonly task: RunningTask }
  | { readonly kind: "finished"; readonly operation: string; readonly body: string; readonly charge: Charge }

/** Reads of the `tasks` table, and the writes outside the ledger's transactions. */
export const make = ({ mark, run }: Rows) => ({
  running: Effect.map(run(`${select} WHERE t.ended_at IS NULL`, []), (rows) => rows.map(runningTask)),

  /** Those that this gateway watches, after it took over those of gateways that are gone. Each is taken by one. */
  watchedBy: (gateway: string) =>
    run(
      `UPDATE calls SET owner = ${mark(1)} WHERE id IN (SELECT c.id FROM tasks t JOIN calls c ON c.id = t.call` +
        " WHERE t.ended_at IS NULL AND NOT EXISTS (SELECT 1 FROM gateways g WHERE g.id = c.owner)" +
        " FOR UPDATE OF c SKIP LOCKED)",
      [gateway]
    ).pipe(
      Effect.andThen(run(`${select} WHERE t.ended_at IS NULL AND c.owner = ${mark(1)}`, [gateway])),
      Effect.map((rows) => rows.map(runningTask))
    ),

  /** Those whose end is not known, of this gateway and of those that are gone. `undefined`: it is alone. */
  givenUp: (gateway: string | undefined) =>
    Effect.map(
      run(
        `${select} WHERE t.status = 'UNKNOWN' AND t.ended_at IS NOT NULL AND c.state = 'unknown'` +
          (gateway === undefined
            ? ""
            : ` AND (c.owner = ${mark(1)} OR NOT EXISTS (SELECT 1 FROM gateways g WHERE g.id = c.owner))`) +
          ` ORDER BY t.ended_at LIMIT ${mostGivenUp}`,
        gateway === undefined ? [] : [gateway]
      ),
      (rows) => rows.map(runningTask)
    ),

  /** If the store fails it is not: the next read of all tasks decides. */
  isWatchedBy: (id: string, gateway: string) =>
    run(`SELECT 1 FROM tasks t JOIN calls c ON c.id = t.call WHERE t.id = ${mark(1)} AND c.owner = ${mark(2)}`, [
      id,
      gateway
    ]).pipe(
      Effect.map((found) => found.length > 0),
      Effect.orElseSucceed(() => false)
    ),

  find: (id: string, account: string, now: number) =>
    Effect.map(
      run(
        `${select} WHERE t.id = ${mark(1)} AND t.account = ${mark(2)}` +
          ` AND (t.expires_at IS NULL OR t.expires_at > ${mark(3)})`,
        [id, account, now]
      ),
      ([row]) =>
        Option.map(Option.fromUndefinedOr(row), (row): StoredTask =>
          row["ended_at"] === null
            ? { kind: "running", task: runningTask(row), gateway: text(row, "gateway") }
            : isGivenUp(row)
              ? { kind: "given up", task: runningTask(row) }
              : { kind: "finished", operation: text(row, "operation"), body: text(row, "body"), charge: chargeOf(row) }
        )
    ),

  /** `undefined`: the account has no such task, or it has expired. */
  termOf: (id: string, account: string, now: number) =>
    Effect.map(
      run(
        "SELECT c.operation, t.created_at, t.ended_at, t.expires_at FROM tasks t JOIN calls c ON c.id = t.call" +
          ` WHERE t.id = ${mark(1)} AND t.account = ${mark(2)} AND (t.expires_at IS NULL OR t.expires_at > ${mark(3)})`,
        [id, account, now]
      ),
      ([row]): TaskTerm | undefined =>
        row && {
          operation: text(row, "operation"),
          createdAt: number(row, "created_at"),
          endedAt: numberOrNull(row, "ended_at"),
          expiresAt: numberOrNull(row, "expires_at")
        }
    ),

  /** The newest first. Those that have ended stay until they expire. */
  /** `owner`: only the tasks of this one. */
  startedBy: (account: string, owner: string | undefined, now: number) =>
    Effect.map(
      run(
        `SELECT t.id, t.call, t.status, t.created_at, t.ended_at, ${columnsOfCall}` +
          ` FROM tasks t JOIN calls c ON c.id = t.call WHERE t.account = ${mark(1)}` +
          ` AND (t.expires_at IS NULL OR t.expires_at > ${mark(2)})${owner === undefined ? "" : ` AND t.owner = ${mark(3)}`} ORDER BY t.created_at DESC, t.id LIMIT ${mostListed}`,
        owner === undefined ? [account, now] : [account, now, owner]
      ),
      (rows) => rows.map(listedTask)
    ),

  updateStatus: (id: string, status: TaskStatus, body: string) =>
    run(`UPDATE tasks SET status = ${mark(1)}, body = ${mark(2)} WHERE id = ${mark(3)} AND ended_at IS NULL`, [
      status,
      body,
      id
    ])
})

export type TaskRecords = ReturnType<typeof make>
