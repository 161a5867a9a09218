import type { Charge } from "@tollgate/contract/Outcome"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { Attempt } from "../ledger/Attempt.ts"
import type { CommandOf } from "../ledger/Command.ts"
import type { Reserved } from "../ledger/Reservation.ts"
import { answerToStore, type Applied, type CallState } from "../ledger/Transition.ts"
import { number, type Row, text } from "../store/rows.ts"
import type { Statement, Statements, Value } from "../store/statements.ts"
import { chargeIn } from "./callRows.ts"

// SDKs repeat a request by themselves, and count how often. A repeat is the earlier call again, not a new one.

/** How long an attempt is known, from the last one at the same call. SDKs give up one after ten minutes. */
export const attemptMillis = 15 * 60_000

/** A caller may send any number of equal requests. A repeat considers so many of them. */
const mostConsidered = 64

type Reserve = CommandOf<"reserve">

/** Whether it may be an earlier call again. */
export const isRepeat = ({ attempt }: Reserve): boolean =>
  attempt !== undefined && attempt.count > 0 && attempt.isNew !== true

/** Reads the earlier calls that each repeat among these commands may belong to. A first attempt reads nothing. */
export const selectAttempts = ({ mark }: Statements, commands: ReadonlyArray<Reserve>): ReadonlyArray<Statement> =>
  commands.filter(isRepeat).flatMap(({ attempt, now }) => {
    if (attempt === undefined) return []
    const { count, digest, of } = attempt
    const select =
      "SELECT a.call, a.attempt, c.state, c.charged, c.cost_state," +
      " CASE WHEN EXISTS (SELECT 1 FROM answers s WHERE s.call = a.call) THEN 1 ELSE 0 END AS is_stored," +
      " CASE WHEN EXISTS (SELECT 1 FROM tasks t WHERE t.call = a.call) THEN 1 ELSE 0 END AS is_task" +
      ` FROM attempts a LEFT JOIN calls c ON c.id = a.call WHERE a.digest = ${mark(1)}`
    return of === undefined
      ? [
          {
            text:
              `${select} AND a.attempt < ${mark(2)} AND a.ends_at > ${mark(3)}` +
              ` ORDER BY a.attempt DESC, a.ends_at, a.call LIMIT ${mostConsidered}`,
            values: [digest, count, now]
          }
        ]
      : [{ text: `${select} AND a.call = ${mark(2)}`, values: [digest, of] }]
  })

/** An earlier call with the same digest. */
interface Earlier {
  readonly call: string
  readonly attempt: number
  readonly state: string
  readonly charge: Charge
  readonly hasAnswer: boolean
  readonly isTask: boolean
}

const unknownCharge: Charge = { state: "unknown" }

const earlierOf = (
  row: Row,
  { holds }: Attempt,
  calls: ReadonlyMap<string, CallState>,
  last: ReadonlyMap<string, Applied>
): Earlier => {
  const call = text(row, "call")
  const known = calls.get(call)
  const applied = last.get(call)
  const isStored =
    number(row, "is_stored") === 1 || (applied !== undefined && answerToStore(applied.transition) !== undefined)
  return {
    call,
    attempt: number(row, "attempt"),
    state: known?.state ?? (row.state === null ? "unknown" : text(row, "state")),
    charge: known?.charge ?? (row.state === null ? unknownCharge : chargeIn(row)),
    hasAnswer: isStored || holds(call),
    isTask: number(row, "is_task") === 1
  }
}

/** Whether nothing ran, or it ran and failed without a charge. A task that failed was created. */
const hasFailed = ({ isTask, state }: Earlier): boolean => (state === "released" || state === "refused") && !isTask

type EarlierState = Extract<Reserved, { readonly kind: "earlier" }>["state"]

/** What a repeat is. */
export type Repeat =
  /** A call of its own, in place of `of`, which has failed. */
  | { readonly kind: "new"; readonly of?: string }
  | { readonly kind: "earlier"; readonly call: string; readonly state: EarlierState; readonly charge: Charge }
  | { readonly kind: "refused"; readonly call: string; readonly refused: Refused }

const repeatOf = (earlier: Earlier): Repeat => {
  const { call, charge, hasAnswer, state } = earlier
  if (hasFailed(earlier)) return { kind: "new", of: call }
  if (state === "unknown" && !hasAnswer) {
    const message =
      `An earlier attempt at this call is ${call}; whether it was executed is not known.` +
      " Sent as a new request it may be executed and charged a second time."
    return { kind: "refused", call, refused: refuse("idempotency_unknown", message) }
  }
  return { kind: "earlier", call, charge, state: state === "open" ? state : hasAnswer ? "answered" : "ended" }
}

/** Decides the attempts among the reservations of a group, in order. */
export class Attempts {
  readonly #rows: Map<Reserve, ReadonlyArray<Row>>
  /** The attempt that each call has come to within this group. */
  readonly #taken = new Map<string, number>()
  readonly #writes: Array<Statement> = []
  readonly #added: Array<ReadonlyArray<Value>> = []
  readonly #statements: Statements

  /** `found`: what `selectAttempts` of the same commands has read. */
  constructor(statements: Statements, commands: ReadonlyArray<Reserve>, found: ReadonlyArray<ReadonlyArray<Row>>) {
    this.#statements = statements
    this.#rows = new Map(commands.filter(isRepeat).map((command, i) => [command, found[i] ?? []]))
  }

  /** What the command repeats. A call is taken by one attempt of each count. */
  repeat(
    command: Reserve,
    calls: ReadonlyMap<string, CallState>,
    last: ReadonlyMap<string, Applied>
  ): Repeat | undefined {
    const { attempt, now } = command
    if (attempt === undefined || !isRepeat(command)) return undefined
    const { mark } = this.#statements
    const candidates = (this.#rows.get(command) ?? [])
      .map((row) => earlierOf(row, attempt, calls, last))
      .filter(({ call }) => attempt.of !== undefined || (this.#taken.get(call) ?? -1) < attempt.count)
    const highest = Math.max(...candidates.map(({ attempt }) => attempt))
    // If equal requests were sent, one of which failed, there is a repeat for it too: it is as good as any other.
    const nearest = candidates.filter(({ attempt }) => attempt === highest)
    const chosen = nearest.find(hasFailed) ?? nearest[0]
    if (chosen === undefined) return { kind: "new" }
    const repeat = repeatOf(chosen)
    this.#taken.set(chosen.call, repeat.kind === "new" ? Infinity : attempt.count)
    this.#writes.push(
      repeat.kind === "new"
        ? {
            text: `DELETE FROM attempts WHERE digest = ${mark(1)} AND call = ${mark(2)}`,
            values: [attempt.digest, chosen.call]
          }
        : {
            text: `UPDATE attempts SET attempt = ${mark(1)}, ends_at = ${mark(2)} WHERE digest = ${mark(3)} AND call = ${mark(4)}`,
            values: [attempt.count, now + attemptMillis, attempt.digest, chosen.call]
          }
    )
    return repeat
  }

  /** The command was granted: it is a call of its own, which later attempts may repeat. */
  add({ attempt, now, reservation }: Reserve): void {
    if (attempt === undefined) return
    this.#added.push([attempt.digest, attempt.count, reservation.call, now + attemptMillis])
  }

  get writes(): ReadonlyArray<Statement> {
    const { insert } = this.#statements
    return [...this.#writes, ...insert("attempts", ["digest", "attempt", "call", "ends_at"], this.#added)]
  }
}
