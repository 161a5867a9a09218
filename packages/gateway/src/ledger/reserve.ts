import { refuse, type Refused } from "../Refused.ts"
import { number, type Row, text } from "../store/rows.ts"
import type { Statement, Statements, Value } from "../store/statements.ts"
import type { Ask, Result } from "./Command.ts"
import { type Current, type End, keptAnswer, open, openColumns } from "./end.ts"
import type { Reserved, StoredAnswer } from "./Ledger.ts"
import type { Purses } from "./Purses.ts"

const keptMillis = 24 * 60 * 60 * 1000

interface Known {
  readonly payload: string
  readonly call: string
  readonly state: string
  readonly answer: StoredAnswer | undefined
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
  return { kind: "replay", answer }
}

const idsOf = (commands: ReadonlyArray<Ask<"reserve">>): ReadonlyArray<string> => [
  ...new Set(commands.flatMap(({ idempotency }) => (idempotency === undefined ? [] : [idempotency.id])))
]

/** What is known under the keys of these requests: the first call under each, and its answer where it is kept. */
export const claimsOf = ({ byIds }: Statements, commands: ReadonlyArray<Ask<"reserve">>): Statement | undefined => {
  const ids = idsOf(commands)
  if (ids.length === 0) return undefined
  return byIds(
    "i.id, i.payload, i.call, i.ends_at, c.state, a.status, a.content_type, a.body",
    "idempotency i LEFT JOIN calls c ON c.id = i.call LEFT JOIN answers a ON a.call = i.call",
    ids,
    { id: "i.id", locked: "i" }
  )
}

/** What is known of calls counts before what is stored; `ended` are those of the same group. */
const knownOf = (row: Row, current: ReadonlyMap<string, Current>, ended: ReadonlyMap<string, End>): Known => {
  const call = text(row, "call")
  const end = ended.get(call)
  return {
    payload: text(row, "payload"),
    call,
    endsAt: number(row, "ends_at"),
    // A call whose row is gone ended long ago.
    state: current.get(call)?.state ?? (row.state === null ? "settled" : text(row, "state")),
    answer: (end === undefined ? undefined : keptAnswer(end)) ?? storedAnswer(row)
  }
}

const storedAnswer = (row: Row): StoredAnswer | undefined =>
  row.status === null
    ? undefined
    : {
        status: number(row, "status"),
        contentType: row.content_type === null ? undefined : text(row, "content_type"),
        bytes: row.body as Uint8Array
      }

export interface Granted {
  readonly result: ReadonlyArray<Result>
  readonly granted: ReadonlyArray<Ask<"reserve">>
  /** Whose the keys are from now on, and the answers that are not wanted any more. */
  readonly claims: ReadonlyArray<Statement>
}

/** Decides the reservations of a group, one after the other. Changes what it is given. */
export const reserve = (
  { insert, mark }: Statements,
  purses: Purses,
  commands: ReadonlyArray<Ask<"reserve">>,
  claims: ReadonlyArray<Row>,
  current: Map<string, Current>,
  ended: ReadonlyMap<string, End>
): Granted => {
  const known = new Map(claims.map((row): [string, Known] => [text(row, "id"), knownOf(row, current, ended)]))
  const granted: Array<Ask<"reserve">> = []
  const claimed: Array<ReadonlyArray<Value>> = []
  const replaced: Array<string> = []

  const result = commands.map((command): Result => {
    const { idempotency, now, reservation } = command
    const first = idempotency === undefined ? undefined : known.get(idempotency.id)
    if (first !== undefined && first.endsAt > now && first.state !== "released") return repeated(command, first)
    const refusal = purses.take(reservation, now)
    if (refusal !== undefined) return refusal
    const { call } = reservation
    granted.push(command)
    current.set(call, open)
    if (idempotency !== undefined) {
      const { id, payload } = idempotency
      const endsAt = now + keptMillis
      if (first?.answer !== undefined) replaced.push(first.call)
      claimed.push([id, payload, call, endsAt])
      known.set(id, { payload, call, state: "open", answer: undefined, endsAt })
    }
    return { kind: "reserved", reservation }
  })

  return {
    result,
    granted,
    claims: [
      ...replaced.map((call) => ({ text: `DELETE FROM answers WHERE call = ${mark(1)}`, values: [call] })),
      ...insert(
        "idempotency",
        ["id", "payload", "call", "ends_at"],
        claimed,
        "ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, call = excluded.call, ends_at = excluded.ends_at"
      )
    ]
  }
}

export const openRow = ({ reservation }: Ask<"reserve">, owner: string): ReadonlyArray<Value> => {
  const { account, amount, call, createdAt, key, operation } = reservation
  return [call, "open", account, key, operation, amount, createdAt, owner]
}

export const recordOpen = (
  { insert }: Statements,
  rows: ReadonlyArray<ReadonlyArray<Value>>
): ReadonlyArray<Statement> => insert("calls", openColumns, rows)
