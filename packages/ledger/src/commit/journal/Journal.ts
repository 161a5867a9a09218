import type { EmbeddedStore } from "../../store/EmbeddedStore.ts"
import type { Row } from "../../store/rows.ts"
import { text } from "../../store/rows.ts"
import type { Statement, Statements, Value } from "../../store/statements.ts"
import type { Transaction } from "../../store/Transaction.ts"
import { type Tell, tellNobody } from "../../outbox/tell.ts"
import { Balances, balanceUpdates, selectBalances } from "../../ledger/Balances.ts"
import {
  addCalls,
  addUsage,
  insertAnswers,
  insertOpenCalls,
  insertWholeCalls,
  openRow,
  selectCalls,
  updateCalls
} from "../callRows.ts"
import type { Command, Result } from "../../ledger/Command.ts"
import { selectAttempts } from "../attempts.ts"
import { reserve, selectClaims } from "../reserve.ts"
import * as Tables from "../tables.ts"
import {
  type Applied,
  apply,
  applyTransitions,
  type CallState,
  openCall,
  type Transition
} from "../../ledger/Transition.ts"
import { areJournaled, decode, encode, type Journaled, withoutAnswer } from "./JournalLine.ts"

interface Entry {
  readonly owner: string
  readonly command: Journaled
}

/** The journal's entries since the last checkpoint, and the calls and balances that follow from them. */
class Pending {
  readonly entries: Array<Entry> = []
  readonly calls = new Map<string, CallState>()
  readonly balances = new Balances()
}

const selectLines: Statement = { text: "SELECT owner, commands FROM journal ORDER BY seq", values: [] }
const deleteLines: Statement = { text: "DELETE FROM journal", values: [] }

/**
 * Decides a group in memory and appends one line to the journal table. A checkpoint later moves the lines into the other
 * tables. The memory is only a copy: after a failed commit, or a write of another process, it is read again from the store.
 */
export const make = (
  store: EmbeddedStore["Service"],
  statements: Statements,
  beforeCommit: () => void,
  tell: Tell = tellNobody
) => {
  const writeTables = Tables.make(statements, beforeCommit, tell)
  const updates = balanceUpdates(statements)
  let pending = new Pending()
  /** The store's version when `pending` was last known to match it, or `undefined` if it may not match. */
  let version: unknown

  const forget = (): void => {
    version = undefined
    pending = new Pending()
  }

  /** Returns `undefined` and writes nothing if another process wrote in the meantime. */
  const ifUnchanged = <A>(transaction: Transaction<A>): Transaction<{ readonly done: A } | undefined> => ({
    ...transaction,
    reads: [...transaction.reads, store.version],
    decide: (found) => {
      if (versionOf(found[transaction.reads.length]) !== version) return { result: undefined, writes: [] }
      const { result, writes } = transaction.decide(found)
      return { result: { done: result }, writes }
    }
  })

  const moveToTables = (entries: ReadonlyArray<Entry>): Transaction<void> => ({
    reads: [
      ...selectBalances(
        statements,
        entries.map(({ command }) => command.reservation)
      ),
      selectCalls(statements, transitionsOfOlderCalls(entries))
    ],
    decide: ([accountRows = [], keyRows = [], callRows = []]) => {
      const balances = new Balances()
      balances.add(accountRows, keyRows)
      const calls = new Map<string, CallState>()
      addCalls(calls, callRows)
      const writes = callWrites(statements, entries, balances, calls)
      return { result: undefined, writes: [...writes, ...balances.writes(updates), deleteLines] }
    },
    beforeCommit
  })

  const readEntries: Transaction<ReadonlyArray<Entry>> = {
    reads: [store.version, selectLines],
    decide: ([versionRows, lines = []]) => {
      version = versionOf(versionRows)
      return { result: lines.flatMap(entriesOf), writes: [] }
    },
    beforeCommit: () => {}
  }

  const tryCheckpoint = (entries: ReadonlyArray<Entry>): boolean =>
    entries.length === 0 || store.transact(ifUnchanged(moveToTables(entries))) !== undefined

  const orForget = <A>(run: () => A): A => {
    try {
      return run()
    } catch (cause) {
      forget()
      throw cause
    }
  }

  /** Moves all entries into the tables. */
  const checkpoint = (): void =>
    orForget(() => {
      let isDone = version !== undefined && tryCheckpoint(pending.entries)
      while (!isDone) isDone = tryCheckpoint(store.transact(readEntries))
      pending = new Pending()
    })

  const append = (commands: ReadonlyArray<Journaled>, owner: string): Transaction<ReadonlyArray<Result>> => {
    const { reserves, transitions } = Tables.split(commands)
    const { balances, calls, entries } = pending
    const unknownOwners = commands.flatMap(({ reservation }) => (balances.has(reservation) ? [] : [reservation]))
    const repeated = selectAttempts(statements, reserves)
    const unknownCalls = transitions.filter(({ reservation }) => !calls.has(reservation.call))
    return {
      reads: [
        selectCalls(statements, unknownCalls),
        selectClaims(statements, reserves),
        ...repeated,
        ...(unknownOwners.length === 0 ? [] : selectBalances(statements, unknownOwners))
      ],
      decide: (found) => {
        const [callRows = [], claimRows = [], ...others] = found
        const attemptRows = others.slice(0, repeated.length)
        if (unknownOwners.length > 0) balances.add(others[repeated.length] ?? [], others[repeated.length + 1] ?? [])
        addCalls(calls, callRows)
        const { applied, last, results } = applyTransitions(balances, transitions, calls)
        const reserved = reserve(statements, balances, reserves, claimRows, attemptRows, calls, last)
        const ended = applied.map(({ transition }) => transition as Journaled)
        const journaled = [...ended, ...reserved.granted, ...reserved.replayed]
        for (const command of journaled) entries.push({ owner, command: withoutAnswer(command) })
        return {
          result: Tables.join(commands, results, reserved.results),
          writes:
            journaled.length === 0
              ? reserved.claims
              : [
                  insertLine(owner, journaled),
                  ...insertAnswers(statements, last.values()),
                  ...reserved.claims,
                  // Not at the checkpoint, which another program may run.
                  ...tell(applied, balances)
                ]
        }
      },
      beforeCommit,
      // A call without a key cannot be repeated, and its caller has no answer yet: nothing promised is lost.
      skipFsync: transitions.length === 0 && reserves.every(({ idempotency }) => idempotency === undefined)
    }
  }

  const commit = (commands: ReadonlyArray<Command>, owner: string): ReadonlyArray<Result> =>
    orForget(() => {
      for (;;) {
        if (version === undefined || !areJournaled(commands)) checkpoint()
        const transaction = areJournaled(commands) ? append(commands, owner) : writeTables(commands, owner)
        const results = store.transact(ifUnchanged(transaction))
        if (results !== undefined) return results.done
        forget()
      }
    })

  return {
    commit,
    checkpoint,
    /** How many entries wait for the next checkpoint. */
    pending: () => pending.entries.length
  }
}

export type Journal = ReturnType<typeof make>

const insertLine = (owner: string, commands: ReadonlyArray<Journaled>): Statement => ({
  text: "INSERT INTO journal (owner, commands) VALUES (?, ?)",
  values: [owner, encode(commands)]
})

const versionOf = (rows: ReadonlyArray<Row> = []): unknown => Object.values(rows[0] ?? {})[0]

const entriesOf = (row: Row): ReadonlyArray<Entry> =>
  decode(text(row, "commands")).map((command) => ({ owner: text(row, "owner"), command }))

/** The transitions of calls that were reserved before the last checkpoint. */
const transitionsOfOlderCalls = (entries: ReadonlyArray<Entry>): ReadonlyArray<Transition> => {
  const opened = new Set<string>()
  const older: Array<Transition> = []
  for (const { command } of entries) {
    const { call } = command.reservation
    if (command.kind === "reserve" || command.kind === "replay") opened.add(call)
    else if (!opened.has(call)) older.push(command)
  }
  return older
}

/**
 * Applies the entries to `balances` and `calls` in order, as they were decided. Writes each call once, in its last state,
 * even if it was also reserved since the last checkpoint.
 */
const callWrites = (
  statements: Statements,
  entries: ReadonlyArray<Entry>,
  balances: Balances,
  calls: Map<string, CallState>
): ReadonlyArray<Statement> => {
  const opened = new Map<string, ReadonlyArray<Value>>()
  const applied: Array<Applied> = []
  const last = new Map<string, Applied>()
  for (const { command, owner } of entries) {
    const { call } = command.reservation
    if (command.kind === "reserve" || command.kind === "replay") {
      opened.set(call, openRow(command, owner))
      calls.set(call, openCall(command.reservation))
    }
    if (command.kind === "reserve") {
      balances.reserve(command.reservation, command.now)
    } else {
      const one = apply(balances, calls, command, calls.get(call) ?? openCall(command.reservation))
      applied.push(one)
      last.set(call, one)
    }
  }
  const whole: Array<{ readonly opened: ReadonlyArray<Value>; readonly applied: Applied }> = []
  const updated: Array<Applied> = []
  for (const [call, applied] of last) {
    const row = opened.get(call)
    if (row === undefined) updated.push(applied)
    else whole.push({ opened: row, applied })
    opened.delete(call)
  }
  return [
    ...insertOpenCalls(statements, [...opened.values()]),
    ...insertWholeCalls(statements, whole),
    ...updateCalls(statements, updated),
    ...addUsage(statements, applied)
  ]
}
