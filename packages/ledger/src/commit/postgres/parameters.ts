import type { Command, CommandOf } from "../../ledger/Command.ts"
import { periodStart } from "../../ledger/Balance.ts"
import { answerToStore, type Applied, chargedBy, endsReservation } from "../../ledger/Transition.ts"
import type { Reservation } from "../../ledger/Reservation.ts"
import { headersText, type StoredAnswer } from "../../ledger/Settled.ts"
import type { Value } from "../../store/statements.ts"
import { endedColumns, endedValues, openedColumns, openedValues, type Values } from "../../ledger/callColumns.ts"
import { attemptMillis } from "../attempts.ts"
import { claimMillis } from "../reserve.ts"

/** The sums of the commands that name an account or a key. */
class Owner {
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

  get day(): number {
    return periodStart("day", this.last)
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

// The parameters of `commit_commands`: the function declares them, and its caller fills them in, in this order.

type Type = "TEXT" | "BIGINT" | "INT" | "BOOLEAN"

/** An array, with an element for each item. */
type Parameter<A> = readonly [name: string, type: Type, read: (item: A) => Value | boolean | undefined]

/** The sums of the commands that name an account. */
const ofAccounts: ReadonlyArray<Parameter<Owner>> = [
  ["a_id", "TEXT", ({ id }) => id],
  ["a_reserved", "BIGINT", ({ reserved }) => reserved],
  ["a_charged", "BIGINT", ({ charged }) => charged],
  ["a_paid", "BOOLEAN", ({ paid }) => paid]
]

/** The sums of the commands that name a key. */
const ofKeys: ReadonlyArray<Parameter<Owner>> = [
  ["k_id", "TEXT", ({ id }) => id],
  ["k_reserved", "BIGINT", ({ reserved }) => reserved],
  ["k_charged", "BIGINT", ({ charged }) => charged],
  ["k_paid", "BOOLEAN", ({ paid }) => paid],
  ["k_account", "TEXT", ({ account }) => account],
  ["k_first", "BIGINT", ({ first }) => first],
  ["k_day", "BIGINT", ({ day }) => day]
]

interface Row {
  readonly reservation: Reservation
  readonly values: Values
}

const parametersOf = (prefix: string, columns: typeof endedColumns): ReadonlyArray<Parameter<Row>> =>
  columns.map(({ name, type }, i) => [`${prefix}_${name}`, type, ({ values }) => values[i]])

const ofEnds: ReadonlyArray<Parameter<Row>> = [
  ["t_account", "TEXT", ({ reservation }) => reservation.account],
  ["t_key", "TEXT", ({ reservation }) => reservation.key],
  ["t_reserved", "BIGINT", ({ reservation }) => reservation.amount],
  ...parametersOf("t", endedColumns)
]

/** Where the answer of an end is within the bodies. `at` is the position of the end, from 1. */
interface Answer extends StoredAnswer {
  readonly at: number
  readonly call: string
  from: number
}

const ofAnswers: ReadonlyArray<Parameter<Answer>> = [
  ["s_at", "INT", ({ at }) => at],
  ["s_call", "TEXT", ({ call }) => call],
  ["s_status", "BIGINT", ({ status }) => status],
  ["s_content_type", "TEXT", ({ contentType }) => contentType],
  ["s_headers", "TEXT", headersText],
  ["s_from", "INT", ({ from }) => from],
  ["s_length", "INT", ({ bytes }) => bytes.length]
]

type Reserve = CommandOf<"reserve">

const ofReserves = parametersOf("r", openedColumns)

const ofClaimed: ReadonlyArray<Parameter<Reserve>> = [["r_claim", "TEXT", ({ idempotency }) => idempotency?.id]]

/** A reservation with an idempotency key, or of a counted attempt. `at` is its position among all, from 1. */
interface Claim {
  readonly at: number
  readonly command: Reserve
}

const ofClaims: ReadonlyArray<Parameter<Claim>> = [
  ["c_at", "INT", ({ at }) => at],
  ["c_id", "TEXT", ({ command }) => command.idempotency?.id],
  ["c_payload", "TEXT", ({ command }) => command.idempotency?.payload],
  ["c_call", "TEXT", ({ command }) => command.reservation.call],
  ["c_ends_at", "BIGINT", ({ command }) => command.now + claimMillis]
]

/** An attempt of an SDK that counts them, and that is a call of its own. */
const ofAttempts: ReadonlyArray<Parameter<Claim>> = [
  ["d_at", "INT", ({ at }) => at],
  ["d_count", "INT", ({ command }) => command.attempt?.count],
  ["d_digest", "TEXT", ({ command }) => command.attempt?.digest],
  ["d_ends_at", "BIGINT", ({ command }) => command.now + attemptMillis]
]

const arrays = [ofAccounts, ofKeys, ofEnds, ofAnswers, ofReserves, ofClaimed, ofClaims, ofAttempts]
const singles = ["g_owner TEXT", "g_alone BOOLEAN", "g_whole BOOLEAN", "s_bodies BYTEA"]

/** As the function declares them. */
export const declared: ReadonlyArray<string> = [
  ...singles,
  ...arrays.flatMap((parameters) => parameters.map(([name, type]) => `${name} ${type}[]`))
]

const isPlain = (text: string): boolean =>
  /^[\w:.-]+$/.test(text) && (text.length !== 4 || text.toLowerCase() !== "null")

const quoted = (text: string): string => (isPlain(text) ? text : `"${text.replaceAll(/["\\]/g, "\\$&")}"`)

const arrayOf = <A>(items: ReadonlyArray<A>, [, type, read]: Parameter<A>): string => {
  let text = "{"
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ","
    const value = read(items[i]!)
    if (value === null || value === undefined) text += "NULL"
    else text += type === "TEXT" ? quoted(String(value)) : String(value)
  }
  return `${text}}`
}

const arraysOf = <A>(items: ReadonlyArray<A>, parameters: ReadonlyArray<Parameter<A>>): ReadonlyArray<string> =>
  parameters.map((parameter) => arrayOf(items, parameter))

const answersOf = (ends: ReadonlyArray<Applied>): ReadonlyArray<Answer> =>
  ends.flatMap(({ transition }, i) => {
    const answer = answerToStore(transition)
    return answer === undefined ? [] : [{ ...answer, at: i + 1, call: transition.reservation.call, from: 0 }]
  })

const claimsOf = (reserves: ReadonlyArray<Reserve>): ReadonlyArray<Claim> =>
  reserves.flatMap((command, i) => (command.idempotency === undefined ? [] : [{ at: i + 1, command }]))

const attemptsOf = (reserves: ReadonlyArray<Reserve>): ReadonlyArray<Claim> =>
  reserves.flatMap((command, i) => (command.attempt === undefined ? [] : [{ at: i + 1, command }]))

interface Group {
  readonly accounts: ReadonlyArray<Owner>
  readonly keys: ReadonlyArray<Owner>
  readonly ends: ReadonlyArray<Applied>
  readonly reserves: ReadonlyArray<Reserve>
  /** Whether the sums are those of the ends and reserves, because the group has no other commands. */
  readonly isWhole: boolean
}

export const argumentsOf = ({ accounts, ends, isWhole, keys, reserves }: Group) => {
  const answers = answersOf(ends)
  const bodies = new Uint8Array(answers.reduce((sum, { bytes }) => sum + bytes.length, 0))
  let length = 0
  for (const answer of answers) {
    bodies.set(answer.bytes, length)
    answer.from = length + 1
    length += answer.bytes.length
  }
  const arrays = [
    ...arraysOf(accounts, ofAccounts),
    ...arraysOf(keys, ofKeys),
    ...arraysOf(
      ends.map((end) => ({ reservation: end.transition.reservation, values: endedValues(end) })),
      ofEnds
    ),
    ...arraysOf(answers, ofAnswers),
    ...arraysOf(
      reserves.map(({ reservation }) => ({ reservation, values: openedValues(reservation) })),
      ofReserves
    ),
    ...arraysOf(reserves, ofClaimed),
    ...arraysOf(claimsOf(reserves), ofClaims),
    ...arraysOf(attemptsOf(reserves), ofAttempts)
  ]
  return (owner: string, isAlone: boolean): ReadonlyArray<Value> => [
    owner,
    String(isAlone),
    String(isWhole),
    bodies,
    ...arrays
  ]
}
