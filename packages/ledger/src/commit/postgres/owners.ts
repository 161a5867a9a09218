import type { Command } from "../../ledger/Command.ts"
import { periodStart } from "../../ledger/Period.ts"
import { chargedBy, endsReservation } from "../../ledger/Transition.ts"

/** The sums of the commands that name an account or a key. */
export class Owner {
  readonly id: string
  readonly account: string
  /** By how much they change what is reserved if none is refused, and what they charge. */
  reserved = 0n
  charged = 0n
  /** Whether one of the reservations needs money. */
  paid = false
  /** The times of the first and the last. */
  first = Infinity
  last = -Infinity

  constructor(id: string, account: string) {
    this.id = id
    this.account = account
  }

  add(command: Command): void {
    const { now, reservation } = command
    if (now < this.first) this.first = now
    if (now > this.last) this.last = now
    if (command.kind === "reserve") {
      this.reserved += reservation.amount
      this.paid ||= command.free !== true
    } else if (endsReservation(command)) {
      this.reserved -= reservation.amount
      this.charged += chargedBy(command)
    }
  }

  /** When the day and the month of its last command began. */
  get day(): number {
    return periodStart("day", this.last)
  }
  get month(): number {
    return periodStart("month", this.last)
  }
}

const ownerIn = (owners: Map<string, Owner>, id: string, account: string): Owner => {
  const known = owners.get(id)
  if (known !== undefined) return known
  const owner = new Owner(id, account)
  owners.set(id, owner)
  return owner
}

/** As the store compares ids. */
const sorted = (owners: ReadonlyMap<string, Owner>): ReadonlyArray<Owner> =>
  [...owners.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** The accounts and keys that a group of commands names, sorted by id. */
export const ownersOf = (commands: ReadonlyArray<Command>) => {
  const accounts = new Map<string, Owner>()
  const keys = new Map<string, Owner>()
  for (const command of commands) {
    const { account, key } = command.reservation
    ownerIn(accounts, account, account).add(command)
    if (key !== "") ownerIn(keys, key, account).add(command)
  }
  return { accounts: sorted(accounts), keys: sorted(keys) }
}
