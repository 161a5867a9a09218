import type { Command, CommandOf } from "../../ledger/Command.ts"
import { isRepeat } from "../attempts.ts"
import { mayTell, type Watch } from "../../ledger/LedgerEvent.ts"

type End = CommandOf<"settle" | "release" | "refuse" | "mark_unknown">

/** A command and its position in the group. */
interface At<C> {
  readonly at: number
  readonly command: C
}

export interface Ordinary {
  readonly ends: ReadonlyArray<At<End>>
  readonly reserves: ReadonlyArray<At<CommandOf<"reserve">>>
}

const isEnd = (command: Command): command is End => {
  switch (command.kind) {
    case "settle":
    case "release":
    case "mark_unknown":
      return command.task === undefined
    case "refuse":
      return true
    default:
      return false
  }
}

/**
 * The commands that the store may decide, if it finds nothing unusual. Left out are those whose result depends on another
 * command of the group or on an earlier attempt, and those that may be told of: the rules see these together and in order.
 */
export const ordinaryOf = (commands: ReadonlyArray<Command>, watch?: Watch): Ordinary => {
  const calls = new Map<string, number>()
  for (const { reservation } of commands) calls.set(reservation.call, (calls.get(reservation.call) ?? 0) + 1)
  const ends: Array<At<End>> = []
  /** Accounts whose reservations wait for another command. */
  const waiting = new Set<string>()
  commands.forEach((command, at) => {
    if (command.kind === "reserve") return
    const { account, call } = command.reservation
    const isOrdinary = isEnd(command) && !mayTell(watch, command)
    if (isOrdinary && calls.get(call) === 1) ends.push({ at, command })
    // It may change a balance, also if it begins a task: a call that the store has forgotten is reserved again.
    else waiting.add(account)
  })
  // Two gateways may end the same calls, if one of them was taken for dead: in one order they do not deadlock.
  ends.sort((a, b) => (a.command.reservation.call < b.command.reservation.call ? -1 : 1))
  const claims = new Set<string>()
  const reserves: Array<At<CommandOf<"reserve">>> = []
  commands.forEach((command, at) => {
    if (command.kind !== "reserve") return
    const { idempotency, reservation } = command
    if (isRepeat(command)) return
    const isFirst = idempotency === undefined || !claims.has(idempotency.id)
    if (idempotency !== undefined) claims.add(idempotency.id)
    if (isFirst && calls.get(reservation.call) === 1 && !waiting.has(reservation.account))
      reserves.push({ at, command })
  })
  return { ends, reserves }
}
