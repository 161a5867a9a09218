import type { Solitary, Transaction } from "../store/Transaction.ts"
import type { Row } from "../store/rows.ts"
import { text } from "../store/rows.ts"
import type { Statement, Statements, Value } from "../store/statements.ts"
import type { Command, Result } from "./Command.ts"
import {
  addFound,
  callsOf,
  type Current,
  end,
  type End,
  giveBack,
  recordAnswers,
  recordEnds,
  recordSums,
  recordWhole
} from "./end.ts"
import * as Group from "./group.ts"
import { areJournaled, decode, encode, type Journaled, withoutAnswer } from "./journaled.ts"
import { Purses, pursesOf, purseTexts } from "./Purses.ts"
import { claimsOf, openRow, recordOpen, reserve } from "./reserve.ts"

interface Decided {
  readonly owner: string
  readonly command: Journaled
}

/** What was decided since the tables were last brought up to date, and how calls and purses stand after it. */
class Recent {
  readonly decided: Array<Decided> = []
  readonly calls = new Map<string, Current>()
  readonly purses = new Purses()
}

const stored: Statement = { text: "SELECT owner, commands FROM journal ORDER BY seq", values: [] }
const emptied: Statement = { text: "DELETE FROM journal", values: [] }

/**
 * Decides in memory, writes one line into the journal, and that is durable: the tables follow when there is time, many calls at
 * once. Whoever reads them meets nothing else: they are brought up to date before. What is in memory is only a copy: where it
 * may be out of date, since a commit failed or another process wrote, it is thrown away and the journal is read.
 */
export const make = (solitary: Solitary, statements: Statements, onWritten: () => void) => {
  const direct = Group.make(statements, onWritten)
  const texts = purseTexts(statements)
  let recent = new Recent()
  /** What the store's version was when `recent` was last known to be true, or nothing where it may not be. */
  let version: unknown

  const forget = (): void => {
    version = undefined
    recent = new Recent()
  }

  /** Does nothing, and says so, where another process has written since. */
  const unlessOther = <A>(transaction: Transaction<A>): Transaction<{ readonly done: A } | undefined> => ({
    ...transaction,
    reads: [...transaction.reads, solitary.version],
    decide: (found) => {
      if (versionOf(found[transaction.reads.length]) !== version) return { result: undefined, writes: [] }
      const { result, writes } = transaction.decide(found)
      return { result: { done: result }, writes }
    }
  })

  const inTables = (decided: ReadonlyArray<Decided>): Transaction<void> => ({
    reads: pursesOf(
      statements,
      decided.map(({ command }) => command.reservation)
    ),
    decide: ([accounts = [], keys = []]) => {
      const purses = new Purses()
      purses.add(accounts, keys)
      for (const { command } of decided) {
        if (command.ask === "reserve") purses.grant(command.reservation, command.now)
        else giveBack(purses, command)
      }
      return { result: undefined, writes: [...callWrites(statements, decided), ...purses.writes(texts), emptied] }
    },
    onWritten
  })

  const readLines: Transaction<ReadonlyArray<Decided>> = {
    reads: [solitary.version, stored],
    decide: ([found, lines = []]) => {
      version = versionOf(found)
      return { result: lines.flatMap(decidedOf), writes: [] }
    },
    onWritten: () => {}
  }

  const bring = (decided: ReadonlyArray<Decided>): boolean =>
    decided.length === 0 || solitary.now(unlessOther(inTables(decided))) !== undefined

  const orForget = <A>(run: () => A): A => {
    try {
      return run()
    } catch (cause) {
      forget()
      throw cause
    }
  }

  /** Brings the tables up to date. */
  const catchUp = (): void =>
    orForget(() => {
      let isDone = version !== undefined && bring(recent.decided)
      while (!isDone) isDone = bring(solitary.now(readLines))
      recent = new Recent()
    })

  const inJournal = (commands: ReadonlyArray<Journaled>, owner: string): Transaction<ReadonlyArray<Result>> => {
    const { ends, reserves } = Group.inTwo(commands)
    const { calls, decided, purses } = recent
    const strangers = commands.flatMap(({ reservation }) => (purses.has(reservation) ? [] : [reservation]))
    const older = ends.filter(({ reservation }) => !calls.has(reservation.call))
    return {
      reads: [
        callsOf(statements, older),
        claimsOf(statements, reserves),
        ...(strangers.length === 0 ? [] : pursesOf(statements, strangers))
      ],
      decide: (found) => {
        const [known = [], claims = []] = found
        if (strangers.length > 0) purses.add(found[2] ?? [], found[3] ?? [])
        addFound(calls, known)
        const ended = end(purses, ends, calls)
        const reserved = reserve(statements, purses, reserves, claims, calls, ended.last)
        const lines = [...(ended.last.values() as Iterable<Journaled>), ...reserved.granted]
        for (const command of lines) decided.push({ owner, command: withoutAnswer(command) })
        return {
          result: Group.inOne(commands, ended.result, reserved.result),
          writes:
            lines.length === 0
              ? []
              : [line(owner, lines), ...recordAnswers(statements, ended.last.values()), ...reserved.claims]
        }
      },
      onWritten,
      // Nobody can ask again for a call without a key, and nobody was told anything yet.
      mayWait: ends.length === 0 && reserves.every(({ idempotency }) => idempotency === undefined)
    }
  }

  const commit = (commands: ReadonlyArray<Command>, owner: string): ReadonlyArray<Result> =>
    orForget(() => {
      for (;;) {
        if (version === undefined || !areJournaled(commands)) catchUp()
        const transaction = areJournaled(commands) ? inJournal(commands, owner) : direct(commands, owner)
        const results = solitary.now(unlessOther(transaction))
        if (results !== undefined) return results.done
        forget()
      }
    })

  return {
    commit,
    catchUp,
    /** How many wait for the tables. */
    waiting: () => recent.decided.length
  }
}

const line = (owner: string, commands: ReadonlyArray<Journaled>): Statement => ({
  text: "INSERT INTO journal (owner, commands) VALUES (?, ?)",
  values: [owner, encode(commands)]
})

const versionOf = (rows: ReadonlyArray<Row> = []): unknown => Object.values(rows[0] ?? {})[0]

const decidedOf = (row: Row): ReadonlyArray<Decided> =>
  decode(text(row, "commands")).map((command) => ({ owner: text(row, "owner"), command }))

/** A call that began and ended since is written once, as it is now. */
const callWrites = (statements: Statements, decided: ReadonlyArray<Decided>): ReadonlyArray<Statement> => {
  const opened = new Map<string, ReadonlyArray<Value>>()
  const last = new Map<string, End>()
  for (const { command, owner } of decided) {
    const { call } = command.reservation
    if (command.ask === "reserve") opened.set(call, openRow(command, owner))
    else last.set(call, command)
  }
  const whole: Array<{ readonly opened: ReadonlyArray<Value>; readonly end: End }> = []
  const ended: Array<End> = []
  for (const [call, end] of last) {
    const row = opened.get(call)
    if (row === undefined) ended.push(end)
    else whole.push({ opened: row, end })
    opened.delete(call)
  }
  return [
    ...recordOpen(statements, [...opened.values()]),
    ...recordWhole(statements, whole),
    ...recordEnds(statements, ended),
    ...recordSums(statements, [...last.values()])
  ]
}
