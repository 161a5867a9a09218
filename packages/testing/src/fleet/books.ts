import { type Attempt, isFinal, provesNothingRan } from "./Attempt.ts"
import type { Execution } from "./executions.ts"
import type { PolledTask } from "./pollTask.ts"

/** A call as the ledger has it. Amounts are micro-USD. */
export interface Call {
  readonly id: string
  readonly account: string
  readonly operation: string
  readonly state: string
  readonly costState: string | null
  readonly reserved: number
  readonly charged: number
}

export interface Books {
  readonly calls: ReadonlyArray<Call>
  readonly executions: ReadonlyArray<Execution>
  readonly attempts: ReadonlyArray<Attempt>
  readonly tasks: ReadonlyArray<PolledTask>
}

const groupBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group === undefined) groups.set(key(item), [item])
    else group.push(item)
  }
  return groups
}

/** Compares what the upstream did, what the ledger says and what callers were told. Returns every contradiction. */
export const contradictions = ({ attempts, calls, executions, tasks }: Books): ReadonlyArray<string> => {
  const found: Array<string> = []
  const byId = new Map(calls.map((call) => [call.id, call]))
  const byRequest = groupBy(executions, ({ requestId }) => requestId)
  const byIntent = groupBy(executions, ({ intent }) => intent)

  for (const [intent, of] of byIntent) {
    // A task that fails may be started again under the same key.
    const paid = of.filter(({ micros }) => micros > 0)
    if (paid.length > 1) {
      const asked = attempts.filter((one) => one.intent.id === intent)
      found.push(`${intent} was executed ${paid.length} times: ${JSON.stringify([paid, asked])}`)
    }
  }
  for (const execution of executions) {
    const state = byId.get(execution.requestId)?.state
    const expected = execution.micros === 0 ? ["released", "unknown"] : ["settled", "unknown"]
    if (state === undefined || !expected.includes(state)) {
      found.push(`executed, and in the ledger it is ${state}: ${JSON.stringify(execution)}`)
    }
  }
  for (const call of calls) {
    const of = byRequest.get(call.id) ?? []
    if (["open", "running"].includes(call.state)) found.push(`stays ${call.state}: ${JSON.stringify(call)}`)
    if (call.state !== "settled") {
      if (call.charged !== 0) found.push(`charged, and not settled: ${JSON.stringify(call)}`)
      continue
    }
    const [execution] = of
    if (execution === undefined || of.length > 1) {
      found.push(`settled, and executed ${of.length} times: ${JSON.stringify(call)}`)
      continue
    }
    // A stream whose caller left is charged for what was sent until then.
    const isCutStream = call.costState === "estimated" && execution.kind === "stream" && call.charged > 0
    if (!isCutStream && call.charged !== execution.micros) {
      found.push(`charged ${call.charged}: ${JSON.stringify([call, execution])}`)
    }
  }
  for (const attempt of attempts) {
    const wrong = contradicts(attempt, byId.get(attempt.requestId ?? ""), byRequest, byIntent)
    if (wrong !== undefined) found.push(`${wrong}: ${JSON.stringify([attempt, byId.get(attempt.requestId ?? "")])}`)
  }
  for (const { micros, requestId, status } of tasks) {
    const call = byId.get(requestId)
    const expected = status === "SUCCEEDED" ? "settled" : "released"
    if (status === "UNKNOWN" || call?.state !== expected || call.charged !== micros) {
      found.push(`the caller was told ${status} for ${micros}: ${JSON.stringify(call)}`)
    }
  }
  const last = new Map(attempts.map((one) => [one.intent.id, one]))
  for (const one of last.values()) {
    if (one.intent.idempotencyKey !== undefined && !isFinal(one)) found.push(`never resolved: ${JSON.stringify(one)}`)
  }
  return found
}

type Executions = ReadonlyMap<string, ReadonlyArray<Execution>>

/** Whether a caller was told something that is not so. */
const contradicts = (
  attempt: Attempt,
  call: Call | undefined,
  byRequest: Executions,
  byIntent: Executions
): string | undefined => {
  const { code, end, intent, isReplayed, micros, requestId = "", status } = attempt
  if (end !== "answered") return undefined
  if (status === 200 && attempt.isOwn === false) return "the answer belongs to another call"
  if (status === 200 && isReplayed === true) {
    return byIntent.has(intent.id) ? undefined : "replayed, and never executed"
  }
  if (status === 200 && intent.kind === "task") {
    return call?.state === "settled" || call?.state === "released" ? undefined : "the task was accepted and is lost"
  }
  if (status === 200 && intent.kind === "stream" && micros === undefined) {
    return call?.state === "settled" || call?.state === "unknown" ? undefined : "the stream is lost"
  }
  if (status === 200) {
    if (call?.state !== "settled") return "answered, and not settled"
    return call.charged === micros ? undefined : `charged ${call.charged}, and the caller was told ${micros}`
  }
  if (code === "idempotency_completed" && !byIntent.has(intent.id)) return "said to be completed, and never executed"
  if (provesNothingRan(attempt) && byRequest.has(requestId)) return "said to be not executed, and was"
  if (provesNothingRan(attempt) && (call?.charged ?? 0) > 0) return "said to be not executed, and charged"
  return undefined
}
