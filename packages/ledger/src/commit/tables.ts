import type { Charge } from "@tollgate/contract/Outcome"
import type { Statements } from "../store/statements.ts"
import type { Transaction } from "../store/Transaction.ts"
import { lockBegun, recordBegun, recordEnded, selectOthers, takeBack, takenIn } from "./taskRows.ts"
import type { Tell } from "../outbox/insertEvents.ts"
import { Balances, balanceUpdates, selectBalances } from "../ledger/Balances.ts"
import {
  addCalls,
  insertAnswers,
  insertOpenCalls,
  insertWholeCalls,
  lockCalls,
  selectCalls,
  updateCalls,
  usageOf,
  writtenWith
} from "./callRows.ts"
import { endedValues, openedValues } from "../ledger/callColumns.ts"
import * as UsageTotals from "../ledger/UsageTotals.ts"
import type { Command, CommandOf, Result } from "../ledger/Command.ts"
import { Attempts, selectAttempts } from "./attempts.ts"
import { reserve, selectClaims } from "./reserve.ts"
import { apply, applyTransitions, type CallState, openCall, type Transition } from "../ledger/Transition.ts"

/** Transitions run first, so that a reservation of the same group can use what they release. */
export const split = (commands: ReadonlyArray<Command>) => {
  const transitions: Array<Transition> = []
  const reserves: Array<CommandOf<"reserve">> = []
  /** Those whose SDK counts its attempts. */
  const attempted: Array<CommandOf<"reserve">> = []
  for (const command of commands) {
    if (command.kind !== "reserve") transitions.push(command)
    else {
      reserves.push(command)
      if (command.attempt !== undefined) attempted.push(command)
    }
  }
  return { transitions, reserves, attempted }
}

/** Puts the results of both parts back into the order of the commands. */
export const join = (
  commands: ReadonlyArray<Command>,
  applied: ReadonlyArray<Result>,
  reserved: ReadonlyArray<Result>
): ReadonlyArray<Result> => {
  if (reserved.length === 0) return applied
  if (applied.length === 0) return reserved
  let transitions = 0
  let reserves = 0
  return commands.map(({ kind }) => (kind === "reserve" ? reserved[reserves++]! : applied[transitions++]!))
}

const provesCall = ({ kind }: Transition): boolean => kind === "settle" || kind === "begin" || kind === "mark_unknown"

/**
 * Opens calls again that the store has forgotten: a replica that took over may lack reservations that were granted a moment
 * before.
 */
const openAgain = (
  { reserves, transitions }: Pick<ReturnType<typeof split>, "reserves" | "transitions">,
  balances: Balances,
  calls: Map<string, CallState>
): ReadonlyArray<Transition> => {
  const isReserved = (call: string) => reserves.some(({ reservation }) => reservation.call === call)
  return transitions.filter((transition) => {
    const { reservation } = transition
    if (calls.has(reservation.call) || !provesCall(transition) || !balances.has(reservation)) return false
    if (isReserved(reservation.call)) return false
    calls.set(reservation.call, openCall(reservation))
    balances.reserve(reservation, reservation.createdAt)
    return true
  })
}

/** The call may have run, and there is no task of its own to wait for. */
const markUnknown = ({ now, reservation, tried, upstream }: Transition): Transition => ({
  kind: "mark_unknown",
  now,
  reservation,
  upstream,
  tried
})

const unknownCharge: Charge = { state: "unknown" }

/** Writes a group of commands straight into the tables. `owner` is the gateway process that opens the calls. */
export const make = (statements: Statements, beforeCommit: (() => void) | undefined, tell: Tell) => {
  const updates = balanceUpdates(statements)

  return (commands: ReadonlyArray<Command>, owner: string): Transaction<ReadonlyArray<Result>> => {
    const { attempted, reserves, transitions: asked } = split(commands)
    const locks = lockBegun(statements, asked)
    const others = selectOthers(statements, asked)
    return {
      reads: [
        ...locks,
        ...others,
        lockCalls(statements, asked),
        ...selectBalances(
          statements,
          commands.map(({ reservation }) => reservation)
        ),
        // Again: some may have been committed while this waited for their accounts.
        selectCalls(statements, asked),
        selectClaims(statements, reserves),
        ...selectAttempts(statements, attempted)
      ],
      decide: (found) => {
        const otherRows = found.slice(locks.length, locks.length + others.length)
        const [, accountRows = [], keyRows = [], callRows = [], claimRows = [], ...attemptRows] = found.slice(
          locks.length + others.length
        )
        const taken = takenIn(asked, otherRows)
        const transitions = asked.map((one) => (taken.has(one) ? markUnknown(one) : one))
        const balances = new Balances()
        balances.add(accountRows, keyRows)
        const calls = new Map<string, CallState>()
        addCalls(calls, callRows)
        const forgotten = openAgain({ reserves, transitions }, balances, calls)
        const { applied, last, results } = applyTransitions(balances, transitions, calls)
        const attempts = new Attempts(statements, attempted, attemptRows)
        const reserved = reserve(statements, balances, reserves, claimRows, attempts, calls, last)
        const replayed = reserved.replayed.map((command) =>
          apply(balances, calls, command, openCall(command.reservation))
        )
        const ended = new Map([...applied, ...replayed].map((one) => [one, endedValues(one)] as const))
        const open = ({ reservation }: Pick<Command, "reservation">) => [openedValues(reservation), owner] as const
        return {
          result: join(
            commands,
            results.map((result, i) => (taken.has(asked[i]!) ? unknownCharge : result)),
            reserved.results
          ),
          writes: [
            ...insertOpenCalls(statements, forgotten.map(open)),
            ...updateCalls(
              statements,
              [...last.values()].map((one) => ended.get(one)!)
            ),
            ...insertAnswers(statements, last.values()),
            ...writtenWith(applied),
            ...recordBegun(
              statements,
              applied.flatMap(({ transition }) => (transition.kind === "begin" ? [transition] : []))
            ),
            ...takeBack(statements, applied, owner),
            ...recordEnded(statements, transitions),
            ...UsageTotals.add(
              statements,
              [...ended].flatMap(
                ([
                  {
                    before,
                    transition: { now, reservation }
                  },
                  values
                ]) => usageOf(values, before, reservation, now)
              )
            ),
            ...insertWholeCalls(
              statements,
              replayed.map((one) => [...open(one.transition), ended.get(one)!])
            ),
            ...insertOpenCalls(statements, reserved.granted.map(open)),
            ...reserved.claims,
            ...balances.writes(updates),
            ...tell(applied, balances)
          ]
        }
      },
      beforeCommit
    }
  }
}
