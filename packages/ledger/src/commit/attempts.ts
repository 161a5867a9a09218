import type { Charge } from "@tollgate/contract/Outcome"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { Attempt, Reserved } from "../ledger/Reservation.ts"
import type { CommandOf } from "../ledger/Command.ts"
import { answerToStore, type Applied, type CallState } from "../ledger/Transition.ts"
import { number, type Row, text } from "../store/rows.ts"
import type { Statement, Statements } from "../store/statements.ts"
import { chargeIn } from "./callRows.ts"

// SDKs repeat a request by themselves, and count how often. A repeat is the earlier call again, not a new one.

/** How long an attempt is known, from the last one at the same call. SDKs give up one after ten minutes. */
export const attemptMillis = 15 * 60_000

/** A caller may send any number of equal requests. A repeat considers so many of them. */
const mostConsidered = 64

/** SDKs repeat a few times. An attempt that counts more is not looked for if it was overtaken. */
const mostOvertaken = 8

/** A request that is reserved sooner after its first bytes was not overtaken: no SDK repeats one so soon. */
const promptMillis = 2

type Reserve = CommandOf<"reserve">

/** Whether it may belong to another call: it repeats one, or a repeat has overtaken it. */
export const isRepeat = ({ attempt, now }: Reserve): boolean =>
  attempt !== undefined &&
  attempt.isNew !== true &&
  (attempt.count > 0 || attempt.of !== undefined || now - attempt.since >= promptMillis)

/**
 * The digest of a row for an attempt that had not arrived when a later one began or joined the call. By its `ends_at` that was
 * `attemptMillis` before: the attempt belongs to the call if its own first bytes came earlier.
 */
const overtakenAs = (digest: string, count: number): string => `${digest}<${count}`

/** The `attempt` of such a row: less than any other, so that a call which an attempt repeats comes first. */
const overtaken = -1

/** Reads the calls that each repeat among these commands may belong to. A first attempt that came at once reads nothing. */
export const selectAttempts = ({ mark }: Statements, commands: ReadonlyArray<Reserve>): ReadonlyArray<Statement> =>
  commands.filter(isRepeat).flatMap(({ attempt, now }) => {
    if (attempt === undefined) return []
    const { count, digest, of, since } = attempt
    const select =
      "SELECT a.digest, a.call, a.attempt, c.state, c.charged, c.cost_state," +
      " CASE WHEN EXISTS (SELECT 1 FROM answers s WHERE s.call = a.call) THEN 1 ELSE 0 END AS is_stored," +
      " CASE WHEN EXISTS (SELECT 1 FROM tasks t WHERE t.call = a.call) THEN 1 ELSE 0 END AS is_task" +
      ` FROM attempts a LEFT JOIN calls c ON c.id = a.call WHERE a.digest`
    return of === undefined
      ? [
          {
            text:
              `${select} IN (${mark(1)}, ${mark(2)}) AND a.attempt < ${mark(3)}` +
              ` AND (a.ends_at > ${mark(4)} OR a.attempt > ${overtaken} AND a.ends_at > ${mark(5)})` +
              ` ORDER BY a.attempt DESC, a.ends_at, a.call LIMIT ${mostConsidered}`,
            values: [digest, overtakenAs(digest, count), count, since + attemptMillis, now]
          }
        ]
      : [{ text: `${select} = ${mark(1)} AND a.call = ${mark(2)}`, values: [digest, of] }]
  })

const unknownCharge: Charge = { state: "unknown" }

const earlierOf = (
  row: Row,
  { holds }: Attempt,
  calls: ReadonlyMap<string, CallState>,
  last: ReadonlyMap<string, Applied>
) => {
  const call = text(row, "call")
  const known = calls.get(call)
  const applied = last.get(call)
  const isStored =
    number(row, "is_stored") === 1 || (applied !== undefined && answerToStore(applied.transition) !== undefined)
  return {
    digest: text(row, "digest"),
    call,
    attempt: number(row, "attempt"),
    state: known?.state ?? (row.state === null ? "unknown" : text(row, "state")),
    charge: known?.charge ?? (row.state === null ? unknownCharge : chargeIn(row)),
    hasAnswer: isStored || holds(call),
    isTask: number(row, "is_task") === 1
  }
}

/** Another call that a request may belong to. */
type Earlier = ReturnType<typeof earlierOf>

/** Whether nothing ran, or it ran and failed without a charge. A task that failed was created. */
const hasFailed = ({ isTask, state }: Earlier): boolean => (state === "released" || state === "refused") && !isTask

type EarlierState = Extract<Reserved, { readonly kind: "earlier" }>["state"]

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
      `Another attempt at this call is ${call}; whether it was executed is not known.` +
      " Sent as a new request it may be executed and charged a second time."
    return { kind: "refused", call, refused: refuse("idempotency_unknown", message) }
  }
  return { kind: "earlier", call, charge, state: state === "open" ? state : hasAnswer ? "answered" : "ended" }
}

interface Added {
  readonly digest: string
  readonly attempt: number
  readonly call: string
  readonly endsAt: number
}

const nameOf = (digest: string, call: string): string => `${digest} ${call}`

/** Decides the attempts among the reservations of a group, in order. */
export class Attempts {
  readonly #rows: Map<Reserve, ReadonlyArray<Row>>
  /** By digest and call, the attempt that each row has come to within this group. */
  readonly #taken = new Map<string, number>()
  /** By command, the failed call that it replaces, and the last attempt at that. */
  readonly #replaced = new Map<Reserve, { readonly call: string; readonly attempt: number }>()
  readonly #writes: Array<Statement> = []
  readonly #added: Array<Added> = []
  readonly #statements: Statements

  /** `found`: what `selectAttempts` of the same commands has read. */
  constructor(statements: Statements, commands: ReadonlyArray<Reserve>, found: ReadonlyArray<ReadonlyArray<Row>>) {
    this.#statements = statements
    this.#rows = new Map(commands.filter(isRepeat).map((command, i) => [command, found[i] ?? []]))
  }

  #rowsFor(command: Reserve, { count, digest, of, since }: Attempt): ReadonlyArray<Row> {
    const rows = this.#rows.get(command) ?? []
    if (this.#added.length === 0 || of !== undefined) return rows
    const isFor = (row: Added) =>
      row.digest === digest
        ? row.attempt < count
        : row.digest === overtakenAs(digest, count) && row.endsAt > since + attemptMillis
    return [...rows, ...this.#added.filter(isFor).map((row) => ({ ...row, state: "open", is_stored: 0, is_task: 0 }))]
  }

  /** What the command repeats. A call is taken by one attempt of each count. */
  repeat(
    command: Reserve,
    calls: ReadonlyMap<string, CallState>,
    last: ReadonlyMap<string, Applied>
  ): Repeat | undefined {
    const { attempt, now } = command
    if (attempt === undefined || !isRepeat(command)) return undefined
    const { count, digest } = attempt
    const candidates = this.#rowsFor(command, attempt)
      .map((row) => earlierOf(row, attempt, calls, last))
      .filter(({ call, digest }) => attempt.of !== undefined || (this.#taken.get(nameOf(digest, call)) ?? -1) < count)
    const highest = Math.max(...candidates.map(({ attempt }) => attempt))
    // If equal requests were sent, one of which failed, there is a repeat for it too: it is as good as any other.
    const nearest = candidates.filter(({ attempt }) => attempt === highest)
    const chosen = nearest.find(hasFailed) ?? nearest[0]
    if (chosen === undefined) return { kind: "new" }
    const { call } = chosen
    const isOvertaken = chosen.digest !== digest
    const name = nameOf(chosen.digest, call)
    const before = isOvertaken ? count : Math.max(chosen.attempt, this.#taken.get(name) ?? -1)
    const repeat = repeatOf(chosen)
    this.#taken.set(name, repeat.kind === "new" ? Infinity : count)
    if (isOvertaken) this.#delete(chosen.digest, call)
    if (repeat.kind === "new") {
      this.#replaced.set(command, { call, attempt: before })
      this.#delete(digest, call)
    } else if (!isOvertaken) {
      const { mark } = this.#statements
      this.#writes.push({
        text: `UPDATE attempts SET attempt = ${mark(1)}, ends_at = ${mark(2)} WHERE digest = ${mark(3)} AND call = ${mark(4)}`,
        values: [Math.max(before, count), now + attemptMillis, digest, call]
      })
      this.#addOvertaken(command, attempt, call, before)
    }
    return repeat
  }

  /** The command was granted: it is a call of its own, which later attempts may repeat. */
  add(command: Reserve): void {
    const { attempt, now, reservation } = command
    if (attempt === undefined) return
    const { count, digest, isNew } = attempt
    this.#added.push({ digest, attempt: count, call: reservation.call, endsAt: now + attemptMillis })
    const replaced = this.#replaced.get(command)
    if (isNew !== true) this.#addOvertaken(command, attempt, reservation.call, replaced?.attempt ?? -1)
    if (replaced === undefined) return
    const { mark } = this.#statements
    const digests = Array.from({ length: mostOvertaken }, (_, i) => overtakenAs(digest, i))
    this.#writes.push({
      text: `UPDATE attempts SET call = ${mark(1)} WHERE call = ${mark(2)} AND digest IN (${digests.map((_, i) => mark(i + 3)).join(", ")})`,
      values: [reservation.call, replaced.call, ...digests]
    })
  }

  /** The attempts between `before` and this one have not arrived: it has overtaken them. */
  #addOvertaken({ now }: Reserve, { count, digest }: Attempt, call: string, before: number): void {
    for (let i = before + 1; i < Math.min(count, mostOvertaken); i++) {
      this.#added.push({ digest: overtakenAs(digest, i), attempt: overtaken, call, endsAt: now + attemptMillis })
    }
  }

  #delete(digest: string, call: string): void {
    const { mark } = this.#statements
    this.#writes.push({
      text: `DELETE FROM attempts WHERE digest = ${mark(1)} AND call = ${mark(2)}`,
      values: [digest, call]
    })
  }

  get writes(): ReadonlyArray<Statement> {
    const { insert } = this.#statements
    const added = this.#added.map(({ attempt, call, digest, endsAt }) => [digest, attempt, call, endsAt])
    return [...insert("attempts", ["digest", "attempt", "call", "ends_at"], added), ...this.#writes]
  }
}
