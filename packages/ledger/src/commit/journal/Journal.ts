import { micro } from "@tollgate/contract/Money"
import type { EmbeddedStore } from "../../store/EmbeddedStore.ts"
import type { Row } from "../../store/rows.ts"
import { text } from "../../store/rows.ts"
import type { Statement, Statements } from "../../store/statements.ts"
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
  updateCalls,
  type WholeCall
} from "../callRows.ts"
import type { Command, CommandOf, Result } from "../../ledger/Command.ts"
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

type Opening = CommandOf<"reserve" | "replay">

/** A command that was decided. A `replay` opens a call and ends it. */
interface Entry {
  readonly owner: string
  readonly opened: Opening | undefined
  readonly applied: Applied | undefined
}

/** What opened a call that a checkpoint leaves in the journal. */
interface Open extends Entry {
  readonly opened: Opening
}

/** The journal's entries, and the calls and balances that follow from them. */
class Pending {
  readonly entries: Array<Entry>
  /** How many of the first were left by the last checkpoint. */
  readonly left: number
  readonly calls = new Map<string, CallState>()
  readonly balances: Balances

  constructor(left: ReadonlyArray<Open> = [], balances = new Balances()) {
    this.entries = [...left]
    this.left = left.length
    this.balances = balances
    for (const { opened } of left) this.calls.set(opened.reservation.call, openCall(opened.reservation))
  }

  /** The calls that are still open, unless the last checkpoint has left them already. */
  open(): ReadonlyArray<Open> {
    return this.entries.filter(
      (entry, i): entry is Open =>
        i >= this.left &&
        entry.opened !== undefined &&
        entry.applied === undefined &&
        this.calls.get(entry.opened.reservation.call)?.state === "open"
    )
  }
}

/** An entry as it was written. */
interface Written {
  readonly owner: string
  readonly command: Journaled
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

  /** Moves all but the `left` entries into the tables. The balances in memory are those of the tables with all entries. */
  const moveToTables = ({ balances, entries }: Pending, left: ReadonlyArray<Open>): Transaction<void> => ({
    reads: [],
    decide: () => {
      const isLeft = new Set<Entry>(left)
      const moved = left.length === 0 ? entries : entries.filter((entry) => !isLeft.has(entry))
      for (const { opened } of left) balances.charge(opened.reservation, nothing, opened.now)
      const writes = [...callWrites(statements, moved), ...balances.writes(updates), deleteLines, ...insertLines(left)]
      for (const { opened } of left) balances.reserve(opened.reservation, opened.now)
      return { result: undefined, writes }
    },
    beforeCommit
  })

  /** Moves entries that another process has written, or this one before it forgot them. */
  const moveWritten = (written: ReadonlyArray<Written>): Transaction<void> => ({
    reads: [
      ...selectBalances(
        statements,
        written.map(({ command }) => command.reservation)
      ),
      selectCalls(statements, transitionsOfOlderCalls(written))
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
    },
    beforeCommit: () => {}
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
  const tryMove = (left: ReadonlyArray<Open>): boolean => {
    if (version === undefined) return false
    if (pending.entries.length > 0 && store.transact(ifUnchanged(moveToTables(pending, left))) === undefined)
      return false
    pending = new Pending(left, pending.balances.of(left.map(({ opened }) => opened.reservation)))
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
        const line: Array<Journaled> = []
        for (const one of applied) {
          line.push(one.transition as Journaled)
          entries.push({ owner, opened: undefined, applied: withoutAnswer(one) })
        }
        for (const opened of reserved.granted) {
          line.push(opened)
          entries.push({ owner, opened, applied: undefined })
        }
        for (const opened of reserved.replayed) {
          line.push(opened)
          const { reservation } = opened
          entries.push({ owner, opened, applied: apply(balances, calls, opened, openCall(reservation)) })
        }
        return {
          result: Tables.join(commands, results, reserved.results),
          writes:
            line.length === 0
              ? reserved.claims
              : [
                  insertLine(owner, line),
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
    makeRoom,
    /** How many entries were written since the last checkpoint. */
    pending: () => pending.entries.length - pending.left
  }
}

export type Journal = ReturnType<typeof make>

const insertLine = (owner: string, commands: ReadonlyArray<Journaled>): Statement => ({
  text: "INSERT INTO journal (owner, commands) VALUES (?, ?)",
  values: [owner, encode(commands)]
})

const versionOf = (rows: ReadonlyArray<Row> = []): unknown => Object.values(rows[0] ?? {})[0]

const insertLines = (left: ReadonlyArray<Open>): ReadonlyArray<Statement> =>
  [...Map.groupBy(left, ({ owner }) => owner)].map(([owner, some]) =>
    insertLine(
      owner,
      some.map(({ opened }) => opened)
    )
  )

const writtenIn = (row: Row): ReadonlyArray<Written> =>
  decode(text(row, "commands")).map((command) => ({ owner: text(row, "owner"), command }))

const opens = (command: Journaled): command is Opening => command.kind === "reserve" || command.kind === "replay"

/** The transitions of calls that were reserved before the last checkpoint. */
const transitionsOfOlderCalls = (written: ReadonlyArray<Written>): ReadonlyArray<Transition> => {
  const opened = new Set<string>()
  const older: Array<Transition> = []
  for (const { command } of written) {
    const { call } = command.reservation
    if (opens(command)) opened.add(call)
    else if (!opened.has(call)) older.push(command)
  }
  return older
}

/** Applies entries to `balances` and `calls` in order, as they were decided. */
const decideAgain = (
  written: ReadonlyArray<Written>,
  balances: Balances,
  calls: Map<string, CallState>
): ReadonlyArray<Entry> =>
  written.map(({ command, owner }) => {
    const { call } = command.reservation
    const opened = opens(command) ? command : undefined
    if (opened !== undefined) calls.set(call, openCall(command.reservation))
    if (command.kind !== "reserve") {
      const before = calls.get(call) ?? openCall(command.reservation)
      return { owner, opened, applied: apply(balances, calls, command, before) }
    }
    balances.reserve(command.reservation, command.now)
    return { owner, opened, applied: undefined }
  })

/** Writes each call once, in its last state, even if it was also reserved since the last checkpoint. */
const callWrites = (statements: Statements, entries: ReadonlyArray<Entry>): ReadonlyArray<Statement> => {
  const opened = new Map<string, Entry>()
  const all: Array<Applied> = []
  const last = new Map<string, Applied>()
  for (const entry of entries) {
    if (entry.opened !== undefined) opened.set(entry.opened.reservation.call, entry)
    if (entry.applied === undefined) continue
    all.push(entry.applied)
    last.set(entry.applied.transition.reservation.call, entry.applied)
  }
  const whole: Array<WholeCall> = []
  const updated: Array<Applied> = []
  for (const [call, applied] of last) {
    const entry = opened.get(call)
    if (entry?.opened === undefined) updated.push(applied)
    else whole.push({ opened: entry.opened, owner: entry.owner, applied })
    opened.delete(call)
  }
  return [
    ...insertOpenCalls(
      statements,
      [...opened.values()].flatMap(({ opened, owner }) => (opened === undefined ? [] : [openRow(opened, owner)]))
    ),
    ...insertWholeCalls(statements, whole),
    ...updateCalls(statements, updated),
    ...addUsage(statements, all)
  ]
}
