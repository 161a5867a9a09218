import { micro } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { number, type Row, text } from "../store/rows.ts"
import type { Statement, Statements, Value } from "../store/statements.ts"
import type { Balances } from "../ledger/Balances.ts"
import type { Attempts } from "./attempts.ts"
import { chargeIn } from "./callRows.ts"
import type { CommandOf, Result } from "../ledger/Command.ts"
import type { Reservation, Reserved } from "../ledger/Reservation.ts"
import type { StoredAnswer } from "../ledger/Settled.ts"
import { answerToStore, type Applied, type CallState, openCall } from "../ledger/Transition.ts"

export const claimMillis = 24 * 60 * 60 * 1000
const nothing = micro(0n)
const unknownCharge: Charge = { state: "unknown" }

/** The call that first used an idempotency key. */
interface Claim {
  readonly payload: string
  readonly call: string
  readonly state: string
  readonly charge: Charge
  readonly answer: StoredAnswer | undefined
  readonly endsAt: number
}

const answerRepeat = (command: CommandOf<"reserve">, claim: Claim): Reserved | Refused => {
  const { idempotency } = command
  const first = `The first call under this key is ${claim.call}`
  if (claim.payload !== idempotency?.payload) {
    return refuse("idempotency_mismatch", `${first}, and it was another request. Send a new key with a new request.`)
  }
  if (claim.state === "open")
    return refuse(
      "idempotency_in_flight",
      `${first}, which is still under way. Send this request with its key again in a moment.`
    )
  if (claim.state === "unknown" && claim.answer === undefined) {
    return refuse(
      "idempotency_unknown",
      `${first}; whether it was executed is not known. Under a new key it may be executed and charged a second time.`
    )
  }
  const { answer, charge } = claim
  if (!idempotency.replay || answer === undefined) {
    const hint = idempotency.replay ? "Its answer was not stored." : "The idempotency mode replay returns its answer."
    return refuse("idempotency_completed", `${first}, which is completed. ${hint}`)
  }
  return { kind: "replay", answer, charge }
}

/**
 * Whether the call left the key to others: it provably failed, or the gateway refused it. The create of a task has an answer, and
 * keeps its key however the task ends.
 */
const isFreed = ({ answer, state }: Claim): boolean =>
  (state === "released" || state === "refused") && answer === undefined

const replayOf = (reservation: Reservation, now: number): CommandOf<"replay"> => {
  const { cap: _, ...replayed } = reservation
  return { kind: "replay", now, reservation: { ...replayed, amount: nothing, keepAnswer: false } }
}

/** Reads the claims on the keys of these commands, with the state, the charge and the stored answer of their calls. */
export const selectClaims = (
  { byIds }: Statements,
  commands: ReadonlyArray<CommandOf<"reserve">>
): Statement | undefined => {
  const ids = new Set<string>()
  for (const { idempotency } of commands) if (idempotency !== undefined) ids.add(idempotency.id)
  if (ids.size === 0) return undefined
  return byIds(
    "i.id, i.payload, i.call, i.ends_at, c.state, c.charged, c.cost_state, a.status, a.content_type, a.headers, a.body",
    "idempotency i LEFT JOIN calls c ON c.id = i.call LEFT JOIN answers a ON a.call = i.call",
    [...ids],
    { id: "i.id", locked: "i" }
  )
}

/** What is in memory overrides the row. `last` are the transitions of the same group. */
const claimOf = (row: Row, calls: ReadonlyMap<string, CallState>, last: ReadonlyMap<string, Applied>): Claim => {
  const call = text(row, "call")
  const applied = last.get(call)
  const known = calls.get(call)
  // A call without a row ended long ago.
  const isGone = row.state === null
  return {
    payload: text(row, "payload"),
    call,
    endsAt: number(row, "ends_at"),
    state: known?.state ?? (isGone ? "settled" : text(row, "state")),
    charge: known?.charge ?? (isGone ? unknownCharge : chargeIn(row)),
    answer: (applied === undefined ? undefined : answerToStore(applied.transition)) ?? storedAnswer(row)
  }
}

export const storedAnswer = (row: Row): StoredAnswer | undefined =>
  row.status === null
    ? undefined
    : {
        status: number(row, "status"),
        contentType: row.content_type === null ? undefined : text(row, "content_type"),
        ...(row.headers === null ? {} : { headers: JSON.parse(text(row, "headers")) as Record<string, string> }),
        bytes: row.body as Uint8Array
      }

export interface Reservations {
  readonly results: ReadonlyArray<Result>
  readonly granted: ReadonlyArray<CommandOf<"reserve">>
  /** The calls that got the stored answer of an earlier one. */
  readonly replayed: ReadonlyArray<CommandOf<"replay">>
  /** Writes the new claims and attempts, and deletes the answers that they replace. */
  readonly claims: ReadonlyArray<Statement>
}

const claimColumns = ["id", "payload", "call", "ends_at"]
const onClaimed =
  "ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, call = excluded.call, ends_at = excluded.ends_at"

const noReservations: Reservations = { results: [], granted: [], replayed: [], claims: [] }

/** Decides the reservations of a group in order, and applies them to `balances` and `calls`. */
export const reserve = (
  statements: Statements,
  balances: Balances,
  commands: ReadonlyArray<CommandOf<"reserve">>,
  claimRows: ReadonlyArray<Row>,
  attempts: Attempts | undefined,
  calls: Map<string, CallState>,
  last: ReadonlyMap<string, Applied>
): Reservations => {
  if (commands.length === 0) return noReservations
  const claims = new Map(claimRows.map((row): [string, Claim] => [text(row, "id"), claimOf(row, calls, last)]))
  const { insert, mark } = statements
  const granted: Array<CommandOf<"reserve">> = []
  const replays: Array<CommandOf<"replay">> = []
  const claimed: Array<ReadonlyArray<Value>> = []
  const replaced: Array<string> = []

  const results = commands.map((command): Result => {
    const { free = false, idempotency, now, reservation } = command
    const first = idempotency === undefined ? undefined : claims.get(idempotency.id)
    if (first !== undefined && first.endsAt > now && !isFreed(first)) {
      // It was committed before, and only the reply was lost: the claim is its own.
      if (first.call === reservation.call && first.state === "open") return { kind: "reserved", reservation }
      const repeat = answerRepeat(command, first)
      if ("kind" in repeat && repeat.kind === "replay") replays.push(replayOf(reservation, now))
      return repeat
    }
    const repeated = attempts?.repeat(command, calls, last)
    if (repeated?.kind === "refused") return repeated.refused
    if (repeated?.kind === "earlier") {
      if (repeated.state === "answered") replays.push(replayOf(reservation, now))
      return repeated
    }
    const refusal = balances.tryReserve(reservation, now, free)
    if (refusal !== undefined) return refusal
    const { call } = reservation
    granted.push(command)
    attempts?.add(command)
    const open = openCall(reservation)
    calls.set(call, open)
    if (idempotency !== undefined) {
      const { id, payload } = idempotency
      const endsAt = now + claimMillis
      if (first?.answer !== undefined) replaced.push(first.call)
      claimed.push([id, payload, call, endsAt])
      claims.set(id, { payload, call, state: open.state, charge: open.charge, answer: undefined, endsAt })
    }
    return { kind: "reserved", reservation }
  })

  return {
    results,
    granted,
    replayed: replays,
    claims: [
      ...(attempts?.writes ?? []),
      ...replaced.map((call) => ({ text: `DELETE FROM answers WHERE call = ${mark(1)}`, values: [call] })),
      ...(claimed.length === 0 ? [] : insert("idempotency", claimColumns, claimed, onClaimed))
    ]
  }
}
