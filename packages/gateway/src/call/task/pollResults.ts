import { read } from "@tollgate/contract/price/exact"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Ledger, Settled } from "@tollgate/ledger/ledger/Ledger"
import { taskListener } from "../../observe/ObservedCall.ts"
import type { PollResult } from "../../upstream/pollUpstream.ts"
import type { TaskReport } from "../../upstream/Protocol.ts"
import { statusBody, taskBody } from "../../upstream/protocols/task.ts"
import type { ProviderThrottle } from "./ProviderThrottle.ts"
import type { TaskRecords } from "@tollgate/ledger/commit/taskRows"
import { lookAgainMillis, type WatchedTask, WatchSettings } from "./WatchedTask.ts"
import { type PerTask, perTaskOf, perUnitOf, unitsOf } from "@tollgate/contract/price/contracts/perTask"
import type { Evidence } from "@tollgate/contract/price/evidence"
import { one } from "@tollgate/contract/price/Price"
import { noTokens } from "@tollgate/contract/price/TokenKind"
import * as Settle from "@tollgate/contract/price/contracts"
import * as Option from "effect/Option"
import { type CallEnd, type CallError, encodeError } from "@tollgate/ledger/ledger/Command"
import type { FinishedTask, StartedTask } from "@tollgate/ledger/ledger/Task"

type Terms = Pick<StartedTask, "price" | "multiplier" | "terms">
type AllTerms = Terms & Pick<StartedTask, "cost" | "costTerms">

// The answer to the create was stored when the task started.
const noAnswer = { status: 200, contentType: undefined, bytes: new Uint8Array(0) }

const settled = ({ multiplier }: Terms, price: PerTask, evidence: Evidence): Settled => ({
  settlement: Option.getOrThrow(Settle.settle(price, evidence, multiplier)),
  costState: "isEstimate" in evidence ? "estimated" : "settled",
  answer: noAnswer,
  evidence: JSON.stringify(evidence, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
  usage: noTokens
})

/** By what the finished task reports, if it is priced so; else its fixed price. */
const succeeded = (terms: Terms, { output, own, usage }: TaskReport): Settled => {
  const evidence = { kind: "task", status: "SUCCEEDED" } as const
  const units = terms.terms === undefined ? undefined : unitsOf(terms.terms, own?.answer ?? { output, usage })
  if (units === undefined) return settled(terms, perTaskOf(terms.price), evidence)
  const { each, ...reported } = units
  const price = reported.times === undefined ? perTaskOf(each) : perUnitOf(each, reported.times.unit)
  return settled(terms, price, { ...evidence, ...reported })
}

/** Adds what the upstream charges for the same, if its prices are known. */
const withCost = ({ cost, costTerms, ...terms }: AllTerms, settledBy: (terms: Terms) => Settled): Settled => {
  const settled = settledBy(terms)
  if (cost === undefined) return settled
  return { ...settled, cost: settledBy({ price: cost, multiplier: one, terms: costTerms }).settlement.chargedNano }
}

const textAt = (said: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  const found = read(said, path)
  return typeof found === "string" && found !== "" ? found : undefined
}

const failureOf = ({ output, own }: TaskReport): CallError => {
  const said = own?.answer ?? output
  return {
    code: textAt(said, "code") ?? textAt(said, "error", "code") ?? "task_failed",
    message:
      textAt(said, "message") ??
      textAt(said, "error", "message") ??
      textAt(said, "error") ??
      "The upstream's task failed."
  }
}

/** How the call ends with its task. `undefined`: the task has not ended. */
export const endingOf = (
  terms: AllTerms,
  report: TaskReport,
  task: FinishedTask
): (CallEnd & { readonly task: FinishedTask }) | undefined => {
  const { cost, status } = report
  switch (status) {
    case "SUCCEEDED":
      return { kind: "settle", settled: withCost(terms, (terms) => succeeded(terms, report)), task }
    case "CANCELED": {
      const evidence = { kind: "task", status, ...(cost === undefined ? {} : { reported: cost }) } as const
      const canceled = withCost(terms, (terms) => settled(terms, perTaskOf(terms.price), evidence))
      return { kind: "settle", settled: canceled, task }
    }
    case "FAILED":
      return { kind: "release", status: 200, error: encodeError(failureOf(report)), task }
    default:
      return undefined
  }
}

/** Applies what a poll brought to the task, the ledger and the throttle. */
export const make = Effect.fnUntraced(function* (
  records: TaskRecords,
  ledger: Ledger["Service"],
  throttle: ProviderThrottle
) {
  const { keptMillis } = yield* WatchSettings
  const onTaskEnded = yield* taskListener

  /** Returns whether the task has ended. Callers see its end only after the ledger has stored it. */
  const finish = Effect.fnUntraced(function* (watched: WatchedTask, report: TaskReport, now: number) {
    const { createdAt, id, reservation } = watched.task
    const { status } = report
    const body = taskBody(id, report, createdAt, now)
    const ending = endingOf(watched.task, report, { id, status, body, expiresAt: now + keptMillis })
    if (ending === undefined) return false
    yield* ledger.finish(reservation, ending)
    onTaskEnded?.(watched.task, ending, now)
    watched.finish(status, body)
    return true
  })

  const update = Effect.fnUntraced(function* (watched: WatchedTask, status: TaskReport["status"], body: string) {
    // A failed write does no harm: a later poll reads the status again.
    if (watched.update(status, body)) yield* Effect.ignore(records.updateStatus(watched.task.id, status, body))
  })

  const apply = Effect.fnUntraced(function* (watched: WatchedTask, result: PollResult) {
    const now = yield* Clock.currentTimeMillis
    const { createdAt, id, provider } = watched.task
    watched.lastPolledAt = now
    if (result.kind === "rateLimited" || result.kind === "failed") {
      watched.failures++
      if (result.kind === "failed") return yield* throttle.failed(provider, result.reason)
      return throttle.pause(provider, now, Math.max(result.retryAfterMillis, watched.backoff))
    }
    watched.failures = 0
    yield* throttle.succeeded(provider)
    const isUnknown = result.kind === "notFound" || result.report.status === "UNKNOWN"
    watched.notFoundSince = isUnknown ? (watched.notFoundSince ?? now) : undefined
    if (result.kind === "notFound") return yield* update(watched, "UNKNOWN", statusBody(id, "UNKNOWN"))
    const { report } = result
    if (!(yield* finish(watched, report, now))) {
      yield* update(watched, report.status, taskBody(id, report, createdAt, now))
    }
  })

  /** Ends the task with an unknown cost. Whoever looks at it again later may learn its end. */
  const giveUp = Effect.fnUntraced(function* (watched: WatchedTask) {
    const { id, provider, reservation } = watched.task
    const body = statusBody(id, "UNKNOWN")
    yield* Effect.logWarning("gave up polling a task", { call: reservation.call, provider })
    const now = yield* Clock.currentTimeMillis
    const expiresAt = now + Math.max(keptMillis, lookAgainMillis)
    const ending = { kind: "mark_unknown", task: { id, status: "UNKNOWN", body, expiresAt } } as const
    yield* ledger.finish(reservation, ending)
    onTaskEnded?.(watched.task, ending, now)
    watched.finish("UNKNOWN", body)
  })

  return { apply, giveUp }
})
