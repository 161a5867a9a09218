import * as Effect from "effect/Effect"
import { refuse, Refused } from "../Refused.ts"
import type * as Rows from "../store/rows.ts"
import { number, type Row, text } from "../store/rows.ts"
import type { Ask, Result } from "./Command.ts"
import type { Reserved } from "./Ledger.ts"
import type { Purses } from "./Purses.ts"

const keptMillis = 24 * 60 * 60 * 1000

interface Known {
  readonly payload: string
  readonly call: string
  readonly state: string
  readonly answer: Row | undefined
  readonly endsAt: number
}

const repeated = (command: Ask<"reserve">, known: Known): Reserved | Refused => {
  const { idempotency } = command
  const first = `The first call under this key is ${known.call}`
  if (known.payload !== idempotency?.payload) {
    return refuse("idempotency_mismatch", `${first}, and it was another request.`)
  }
  if (known.state === "open") return refuse("idempotency_in_flight", `${first}, which is still under way.`)
  if (known.state === "unknown" || known.state === "written_off") {
    return refuse("idempotency_unknown", `${first}; whether it was executed is not known.`)
  }
  const { answer } = known
  if (!idempotency.replay || answer === undefined) {
    return refuse("idempotency_completed", `${first}, which is completed.`)
  }
  return {
    kind: "replay",
    answer: {
      status: number(answer, "status"),
      contentType: answer.content_type === null ? undefined : text(answer, "content_type"),
      bytes: answer.body as Uint8Array
    }
  }
}

/** Decides the reservations of a group, one after the other, and records those that are granted. */
export const reserve = Effect.fnUntraced(function* (
  rows: ReturnType<typeof Rows.make>,
  purses: Purses,
  commands: ReadonlyArray<Ask<"reserve">>,
  owner: string
) {
  const ids = commands.map(({ idempotency }) => idempotency?.id)
  const known = yield* lookUp(
    rows,
    ids.filter((id) => id !== undefined)
  )
  const granted: Array<Ask<"reserve">> = []
  const claims: Array<ReadonlyArray<Rows.Value>> = []
  const replaced: Array<string> = []

  const results = commands.map((command, i): Result => {
    const { idempotency, now, reservation } = command
    const id = ids[i]
    const first = id === undefined ? undefined : known.get(id)
    if (first !== undefined && first.endsAt > now && first.state !== "released") return repeated(command, first)
    const refusal = purses.take(reservation, now)
    if (refusal !== undefined) return refusal
    granted.push(command)
    if (id !== undefined && idempotency !== undefined) {
      const endsAt = now + keptMillis
      if (first?.answer !== undefined) replaced.push(first.call)
      claims.push([id, idempotency.payload, reservation.call, endsAt])
      known.set(id, { payload: idempotency.payload, call: reservation.call, state: "open", answer: undefined, endsAt })
    }
    return { kind: "reserved", reservation }
  })

  yield* rows.insert(
    "calls",
    ["id", "account", "key", "operation", "state", "reserved", "created_at", "owner"],
    granted.map(({ reservation: { account, amount, call, createdAt, key, operation } }) => [
      call,
      account,
      key,
      operation,
      "open",
      amount,
      createdAt,
      owner
    ])
  )
  for (const call of replaced) yield* rows.run(`DELETE FROM answers WHERE call = ${rows.mark(1)}`, [call])
  yield* rows.insert(
    "idempotency",
    ["id", "payload", "call", "ends_at"],
    claims,
    "ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, call = excluded.call, ends_at = excluded.ends_at"
  )
  return results
})

const lookUp = Effect.fnUntraced(function* (rows: ReturnType<typeof Rows.make>, ids: ReadonlyArray<string>) {
  const known = new Map<string, Known>()
  if (ids.length === 0) return known
  const claims = yield* rows.byIds("id, payload, call, ends_at", "idempotency", [...new Set(ids)])
  const calls = yield* rows.byIds(
    "id, state",
    "calls",
    claims.map((row) => text(row, "call"))
  )
  const states = new Map(calls.map((row) => [text(row, "id"), text(row, "state")]))
  for (const claim of claims) {
    const call = text(claim, "call")
    const [answer] = yield* rows.run(`SELECT status, content_type, body FROM answers WHERE call = ${rows.mark(1)}`, [
      call
    ])
    known.set(text(claim, "id"), {
      payload: text(claim, "payload"),
      call,
      // A call whose row is gone ended long ago.
      state: states.get(call) ?? "settled",
      answer,
      endsAt: number(claim, "ends_at")
    })
  }
  return known
})
