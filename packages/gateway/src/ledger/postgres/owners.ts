import type { Command } from "../Command.ts"
import { periodStart } from "../Period.ts"
import { chargedBy, endsReservation } from "../Transition.ts"

interface Owner {
  readonly account: string
  readonly key: string
  /** The time of its first command. */
  readonly first: number
  /** When the day and the month of its last command began. */
  readonly day: number
  readonly month: number
  /** By how much its commands change what is reserved if none is refused, and what they charge. */
  readonly reserved: bigint
  readonly charged: bigint
  /** Whether one of its reservations needs money. */
  readonly paid: boolean
}

const ownerOf = ([first, ...others]: readonly [Command, ...ReadonlyArray<Command>]): Owner => {
  const { account, key } = first.reservation
  let [earliest, latest, reserved, charged, paid] = [first.now, first.now, 0n, 0n, false]
  for (const command of [first, ...others]) {
    if (command.now < earliest) earliest = command.now
    if (command.now > latest) latest = command.now
    if (command.kind === "reserve") {
      reserved += command.reservation.amount
      paid ||= command.free !== true
    } else if (endsReservation(command)) {
      reserved -= command.reservation.amount
      charged += chargedBy(command)
    }
  }
  const [day, month] = [periodStart("day", latest), periodStart("month", latest)]
  return { account, key, first: earliest, day, month, reserved, charged, paid }
}

/** The pairs of account and key that a group of commands names. */
export const ownersOf = (commands: ReadonlyArray<Command>): ReadonlyArray<Owner> => {
  const byName = new Map<string, [Command, ...Array<Command>]>()
  for (const command of commands) {
    const { account, key } = command.reservation
    const name = `${account} ${key}`
    const known = byName.get(name)
    if (known === undefined) byName.set(name, [command])
    else known.push(command)
  }
  return Array.from(byName.values(), ownerOf)
}
