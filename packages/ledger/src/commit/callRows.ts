import type { Charge } from "@tollgate/contract/Outcome"
import { amount, numberOrNull, type Row, text, textOrNull } from "../store/rows.ts"
import type { Statement, Statements, Value } from "../store/statements.ts"
import { endedColumns, openedColumns, place, type Values } from "../ledger/callColumns.ts"
import { chargeFor, headersText } from "../ledger/Settled.ts"
import type { Reservation } from "../ledger/Reservation.ts"
import { answerToStore, type Applied, type CallState, type Transition } from "../ledger/Transition.ts"
import type { Usage } from "../ledger/UsageTotals.ts"

const noCharge: Charge = { state: "none" }

const select =
  (columns: string) =>
  ({ byIds }: Statements, transitions: ReadonlyArray<Pick<Transition, "reservation">>): Statement | undefined => {
    if (transitions.length === 0) return undefined
    const calls = transitions.map(({ reservation }) => reservation.call)
    return byIds(columns, "calls", calls)
  }

export const selectCalls = select("id, state, charged, cost_state, ended_at, operation, model, tags, upstream, tried")

/** `commit_commands` writes calls before it locks their accounts. In another order two gateways that end a call could deadlock. */
export const lockCalls = select("id")

export const settledCharge = (row: Row): Charge =>
  chargeFor(text(row, "cost_state") === "estimated" ? "estimated" : "settled", amount(row, "charged"))

export const chargeIn = (row: Row): Charge => {
  const state = text(row, "state")
  if (state === "settled") return settledCharge(row)
  return state === "running" ? { state: "pending" } : noCharge
}

/** The same, for a caller who waits for the end of the call. */
export const chargeNow = (row: Row): Charge => {
  const state = text(row, "state")
  if (state === "open") return { state: "pending" }
  return state === "unknown" ? { state } : chargeIn(row)
}

const callStateOf = (row: Row): CallState => ({
  state: text(row, "state"),
  charge: chargeIn(row),
  endedAt: numberOrNull(row, "ended_at") ?? undefined,
  operation: text(row, "operation"),
  model: textOrNull(row, "model") ?? undefined,
  tags: textOrNull(row, "tags") ?? undefined,
  upstream: textOrNull(row, "upstream") ?? undefined,
  tried: textOrNull(row, "tried") ?? undefined
})

export const addCalls = (calls: Map<string, CallState>, rows: ReadonlyArray<Row>): void => {
  for (const row of rows) calls.set(text(row, "id"), callStateOf(row))
}

const openNames = [...openedColumns.map(({ name }) => name), "state", "owner"]
const endColumns = endedColumns.map(({ name, type }) => [name, type] as const)
const wholeNames = [...endedColumns.map(({ name }) => name), ...openNames.slice(1).filter((name) => name !== "state")]

export const insertOpenCalls = (
  { insert }: Statements,
  calls: ReadonlyArray<readonly [opened: Values, owner: string]>
): ReadonlyArray<Statement> =>
  insert(
    "calls",
    openNames,
    calls.map(([opened, owner]) => [...opened, "open", owner])
  )

/** Inserts calls that have changed since they were opened. */
export const insertWholeCalls = (
  { insert }: Statements,
  calls: ReadonlyArray<readonly [opened: Values, owner: string, ended: Values]>
): ReadonlyArray<Statement> =>
  insert(
    "calls",
    wholeNames,
    calls.map(([opened, owner, ended]) => {
      const row = ended.slice()
      for (let i = 1; i < opened.length; i++) row.push(opened[i]!)
      row.push(owner)
      return row
    })
  )

export const updateCalls = ({ update }: Statements, ended: ReadonlyArray<Values>): ReadonlyArray<Statement> =>
  update("calls", endColumns, ended)

/**
 * What the end of a call adds to the usage totals. A call is counted once, at its first end: if it was unknown and ends again,
 * that count is corrected, and if it goes on as a task, it is taken back.
 */
export const usageOf = (
  ended: Values,
  before: CallState,
  { account, key }: Pick<Reservation, "account" | "key">,
  now: number
): ReadonlyArray<Usage> => {
  const state = ended[place.state]
  const isCounted = before.endedAt !== undefined
  if (state === "refused" || (state === "running" && !isCounted)) return []
  const cost = ended[place.cost_nano] as bigint | null
  return [
    {
      account,
      key,
      at: Number(ended[place.ended_at] ?? before.endedAt ?? now),
      operation: before.operation,
      model: before.model ?? "",
      tags: before.tags,
      requests: state === "running" ? -1n : isCounted ? 0n : 1n,
      failed_requests: BigInt(ended[place.failed] as number) - (isCounted ? 1n : 0n),
      input_tokens: BigInt(ended[place.input_tokens] as number),
      output_tokens: BigInt(ended[place.output_tokens] as number),
      cache_read_tokens: BigInt(ended[place.cache_read_tokens] as number),
      cache_write_tokens: BigInt(ended[place.cache_write_tokens] as number),
      value: ended[place.value] as bigint,
      charged: ended[place.charged] as bigint,
      upstream: (ended[place.upstream] as string | null) ?? undefined,
      cost: cost ?? undefined
    }
  ]
}

/** What is written together with settlements. It may lock what is an account's: in one order two gateways do not deadlock. */
export const writtenWith = (applied: ReadonlyArray<Applied>): ReadonlyArray<Statement> =>
  applied
    .flatMap(({ transition }) =>
      transition.kind === "settle" && transition.settled.also !== undefined
        ? [{ account: transition.reservation.account, also: transition.settled.also }]
        : []
    )
    .toSorted((a, b) => (a.account < b.account ? -1 : a.account > b.account ? 1 : 0))
    .flatMap(({ also }) => also)

export const insertAnswers = ({ insert }: Statements, last: Iterable<Applied>): ReadonlyArray<Statement> => {
  const rows: Array<ReadonlyArray<Value>> = []
  for (const { transition } of last) {
    const answer = answerToStore(transition)
    if (answer === undefined) continue
    const { bytes, contentType = null, status } = answer
    rows.push([transition.reservation.call, status, contentType, headersText(answer), bytes])
  }
  return rows.length === 0 ? [] : insert("answers", ["call", "status", "content_type", "headers", "body"], rows)
}
