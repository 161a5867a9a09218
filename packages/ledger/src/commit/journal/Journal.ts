import { micro } from "@tollgate/contract/Money"
import type { EmbeddedStore } from "../../store/EmbeddedStore.ts"
import { type Row, text } from "../../store/rows.ts"
import type { Statement, Statements } from "../../store/statements.ts"
import type { Transaction } from "../../store/Transaction.ts"
import { type Tell, tellNobody } from "../../outbox/insertEvents.ts"
import { Balances, balanceUpdates, selectBalances } from "../../ledger/Balances.ts"
import {
  addCalls,
  insertAnswers,
  insertOpenCalls,
  insertWholeCalls,
  selectCalls,
  updateCalls,
  usageOf,
  writtenWith
} from "../callRows.ts"
import { endedValues, openedValues, place, type Values } from "../../ledger/callColumns.ts"
import type { Command, Result } from "../../ledger/Command.ts"
import { Attempts, selectAttempts } from "../attempts.ts"
import { reserve, selectClaims } from "../reserve.ts"
import * as Tables from "../tables.ts"
import { apply, applyTransitions, isHeld, nextState, openCall } from "../../ledger/Transition.ts"
import type { Applied, CallState, Transition } from "../../ledger/Transition.ts"
import * as UsageTotals from "../../ledger/UsageTotals.ts"
import type { Usage } from "../../ledger/UsageTotals.ts"
import type { Reservation } from "../../ledger/Reservation.ts"
import { areJournaled, decode, encode, type Entry } from "./JournalLine.ts"

interface Pended extends Entry {
  readonly owner: string
  readonly usage: ReadonlyArray<Usage>
}

/** The journal's entries, and the calls and balances that follow from them. */
class Pending {
  readonly entries: Array<Pended>
  /** How many of the first were left by the last checkpoint. */
  readonly left: number
  readonly calls = new Map<string, CallState>()
  readonly balances: Balances

  constructor(left: ReadonlyArray<Pended> = [], balances = new Balances()) {
    this.entries = [...left]
    this.left = left.length
    this.balances = balances
    for (const { reservation } of left) this.calls.set(reservation.call, openCall(reservation))
  }

  /** The calls that are still open, unless the last checkpoint has left them already. */
  open(): ReadonlyArray<Pended> {
    return this.entries.filter(
      ({ ended, opened, reservation }, i) =>
        i >= this.left &&
        opened !== undefined &&
        ended === undefined &&
        this.calls.get(reservation.call)?.state === "open"
    )
  }
}

interface Written extends Entry {
  readonly owner: string
}

const selectLines: Statement = { text: "SELECT owner, commands FROM journal ORDER BY seq", values: [] }
const nothing = micro(0n)
const deleteLines: Statement = { text: "DELETE FROM journal", values: [] }

/**
 * Decides a group in memory and appends one line to the journal table. A checkpoint later moves the lines into the other
 * tables. The memory is only a copy: after a failed commit, or a write of another process, it is read again from the store.
 */
export const make = (
  store: EmbeddedStore["Service"],
  statements: Statements,
  beforeCommit?: () => void,
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

  /** Moves all but the `left` entries into the tables. The balances in memory are those of the tables with all entries. */
  const moveToTables = ({ balances, entries }: Pending, left: ReadonlyArray<Pended>): Transaction<void> => ({
    reads: [],
    decide: () => {
      const isLeft = new Set(left)
      const moved = left.length === 0 ? entries : entries.filter((entry) => !isLeft.has(entry))
      for (const { now, reservation } of left) balances.charge(reservation, nothing, now)
      const writes = [...callWrites(statements, moved), ...balances.writes(updates), deleteLines, ...insertLines(left)]
      for (const { now, reservation } of left) balances.reserve(reservation, now)
      return { result: undefined, writes }
    },
    beforeCommit
  })

  /** Moves entries that another process has written, or this one before it forgot them. */
  const moveWritten = (written: ReadonlyArray<Written>): Transaction<void> => ({
    reads: [
      ...selectBalances(
        statements,
        written.map(({ reservation }) => reservation)
      ),
      selectCalls(statements, olderCalls(written))
    ],
    decide: ([accountRows = [], keyRows = [], callRows = []]) => {
      const balances = new Balances()
      balances.add(accountRows, keyRows)
      const calls = new Map<string, CallState>()
      addCalls(calls, callRows)
      const writes = callWrites(statements, decideAgain(written, balances, calls))
      return { result: undefined, writes: [...writes, ...balances.writes(updates), deleteLines] }
    },
    beforeCommit
  })

  const readWritten: Transaction<ReadonlyArray<Written>> = {
    reads: [store.version, selectLines],
    decide: ([versionRows, lines = []]) => {
      version = versionOf(versionRows)
      return { result: lines.flatMap(writtenIn), writes: [] }
    }
  }

  const orForget = <A>(run: () => A): A => {
    try {
      return run()
    } catch (cause) {
      forget()
      throw cause
    }
  }

  /** Moves what is in memory, if another process has not written. */
  const tryMove = (left: ReadonlyArray<Pended>): boolean => {
    if (version === undefined) return false
    if (pending.entries.length > 0 && store.transact(ifUnchanged(moveToTables(pending, left))) === undefined)
      return false
    pending = new Pending(left, pending.balances.of(left.map(({ reservation }) => reservation)))
    return true
  }

  /** Moves all entries into the tables. */
  const checkpoint = (): void =>
    orForget(() => {
      if (tryMove([])) return
      pending = new Pending()
      for (;;) {
        const written = store.transact(readWritten)
        if (written.length === 0 || store.transact(ifUnchanged(moveWritten(written))) !== undefined) return
      }
    })

  /**
   * Moves most entries. Calls that were opened lately and are still open stay, because most of them end before the next
   * checkpoint: then they are written once. It would not pay if they were most of the entries.
   */
  const makeRoom = (): void =>
    orForget(() => {
      const open = pending.open()
      if (2 * open.length > pending.entries.length || !tryMove(open)) checkpoint()
    })

  const append = (commands: ReadonlyArray<Command>, owner: string): Transaction<ReadonlyArray<Result>> => {
    const { attempted, reserves, transitions } = Tables.split(commands)
    const { balances, calls, entries } = pending
    const unknownOwners: Array<Reservation> = []
    for (const { reservation } of commands) if (!balances.has(reservation)) unknownOwners.push(reservation)
    const unknownCalls: Array<Transition> = []
    for (const transition of transitions) if (!calls.has(transition.reservation.call)) unknownCalls.push(transition)
    const repeated = attempted.length === 0 ? [] : selectAttempts(statements, attempted)
    return {
      reads: [
        selectCalls(statements, unknownCalls),
        selectClaims(statements, reserves),
        ...repeated,
        ...(unknownOwners.length === 0 ? [] : selectBalances(statements, unknownOwners))
      ],
      decide: (found) => {
        const [callRows = [], claimRows = [], ...others] = found
        const attempts = attempted.length === 0 ? undefined : new Attempts(statements, attempted, others)
        if (unknownOwners.length > 0) balances.add(others[repeated.length] ?? [], others[repeated.length + 1] ?? [])
        addCalls(calls, callRows)
        const { applied, last, results } = applyTransitions(balances, transitions, calls)
        const reserved = reserve(statements, balances, reserves, claimRows, attempts, calls, last)
        const line: Array<Pended> = []
        for (const one of applied) line.push(endOf(one, owner))
        for (const { now, reservation } of reserved.granted) {
          line.push({ owner, now, reservation, opened: openedValues(reservation), ended: undefined, usage: [] })
        }
        for (const command of reserved.replayed) {
          const one = apply(balances, calls, command, openCall(command.reservation))
          line.push(endOf(one, owner, openedValues(command.reservation)))
        }
        entries.push(...line)
        return {
          result: Tables.join(commands, results, reserved.results),
          writes:
            line.length === 0
              ? reserved.claims
              : [
                  insertLine(owner, line),
                  ...(last.size === 0 ? [] : insertAnswers(statements, last.values())),
                  ...writtenWith(applied),
                  ...reserved.claims,
                  // Not at the checkpoint, which another program may run.
                  ...(last.size === 0 ? [] : tell(applied, balances))
                ]
        }
      },
      beforeCommit,
      // A call without a key cannot be repeated, and its caller has no answer yet: nothing promised is lost.
      skipFsync: transitions.length === 0 && reserves.every(({ idempotency }) => idempotency === undefined)
    }
  }

  const commit = (commands: ReadonlyArray<Command>, owner: string): ReadonlyArray<Result> => {
    const isJournaled = areJournaled(commands)
    try {
      for (;;) {
        if (version === undefined || !isJournaled) checkpoint()
        const transaction = isJournaled ? append(commands, owner) : writeTables(commands, owner)
        const results = store.transact(ifUnchanged(transaction))
        if (results !== undefined) return results.done
        forget()
      }
    } catch (cause) {
      forget()
      throw cause
    }
  }

  return {
    commit,
    checkpoint,
    makeRoom,
    /** How many entries were written since the last checkpoint. */
    pending: () => pending.entries.length - pending.left
  }
}

export type Journal = ReturnType<typeof make>

/** The entry of a transition. `opened`: it opened its call too. */
const endOf = (one: Applied, owner: string, opened?: Values): Pended => {
  const { now, reservation } = one.transition
  const ended = endedValues(one)
  return { owner, now, reservation, opened, ended, usage: usageOf(ended, one.before, reservation, now) }
}

const insertLine = (owner: string, entries: ReadonlyArray<Entry>): Statement => ({
  text: "INSERT INTO journal (owner, commands) VALUES (?, ?)",
  values: [owner, encode(entries)]
})

const versionOf = (rows: ReadonlyArray<Row> = []): unknown => Object.values(rows[0] ?? {})[0]

const insertLines = (left: ReadonlyArray<Pended>): ReadonlyArray<Statement> =>
  [...Map.groupBy(left, ({ owner }) => owner)].map(([owner, some]) => insertLine(owner, some))

const writtenIn = (row: Row): ReadonlyArray<Written> =>
  decode(text(row, "commands")).map((entry) => ({ ...entry, owner: text(row, "owner") }))

/** Those that were reserved before the last checkpoint. */
const olderCalls = (written: ReadonlyArray<Written>): ReadonlyArray<Written> => {
  const opened = new Set(written.flatMap((entry) => (entry.opened === undefined ? [] : [entry.reservation.call])))
  return written.filter(({ reservation }) => !opened.has(reservation.call))
}

/** Applies entries to `balances` and `calls` in order, as they were decided. */
const decideAgain = (
  written: ReadonlyArray<Written>,
  balances: Balances,
  calls: Map<string, CallState>
): ReadonlyArray<Pended> =>
  written.map((entry) => {
    const { ended, now, reservation } = entry
    const before = (entry.opened === undefined ? calls.get(reservation.call) : undefined) ?? openCall(reservation)
    if (ended === undefined) {
      calls.set(reservation.call, before)
      balances.reserve(reservation, now)
      return { ...entry, usage: [] }
    }
    const state = String(ended[place.state])
    calls.set(reservation.call, { ...before, state, endedAt: Number(ended[place.ended_at]) })
    if (state !== nextState.replay) {
      const held = isHeld(before.state) ? reservation : { ...reservation, amount: nothing }
      balances.charge(held, micro(ended[place.charged] as bigint), now)
    }
    return { ...entry, usage: usageOf(ended, before, reservation, now) }
  })

/** Writes each call once, in its last state, even if it was also reserved since the last checkpoint. */
const callWrites = (statements: Statements, entries: ReadonlyArray<Pended>): ReadonlyArray<Statement> => {
  const open = new Map<string, readonly [opened: Values, owner: string]>()
  const last = new Map<string, Values>()
  for (const { ended, opened, owner, reservation } of entries) {
    if (opened !== undefined) open.set(reservation.call, [opened, owner])
    if (ended !== undefined) last.set(reservation.call, ended)
  }
  const whole: Array<readonly [opened: Values, owner: string, ended: Values]> = []
  const updated: Array<Values> = []
  for (const [call, ended] of last) {
    const opened = open.get(call)
    if (opened === undefined) updated.push(ended)
    else whole.push([...opened, ended])
    open.delete(call)
  }
  return [
    ...insertOpenCalls(statements, [...open.values()]),
    ...insertWholeCalls(statements, whole),
    ...updateCalls(statements, updated),
    ...UsageTotals.add(
      statements,
      entries.flatMap(({ usage }) => usage)
    )
  ]
}
