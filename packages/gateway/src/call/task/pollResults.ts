import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Ledger } from "../../books/ledger/Ledger.ts"
import { taskListener } from "../../observe/taskEvent.ts"
import type { PollResult } from "../../upstream/pollUpstream.ts"
import type { TaskReport } from "../../upstream/Protocol.ts"
import { statusBody, taskBody } from "../../upstream/protocols/taskBody.ts"
import { endingOf } from "./ending.ts"
import type { ProviderThrottle } from "./ProviderThrottle.ts"
import type { TaskRecords } from "../../books/commit/taskRows.ts"
import { type WatchedTask, WatchSettings } from "./WatchedTask.ts"

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

  /** Ends the task with an unknown cost. */
  const giveUp = Effect.fnUntraced(function* (watched: WatchedTask) {
    const { id, provider, reservation } = watched.task
    const body = statusBody(id, "UNKNOWN")
    yield* Effect.logWarning("gave up polling a task", { call: reservation.call, provider })
    const now = yield* Clock.currentTimeMillis
    const ending = { kind: "mark_unknown", task: { id, status: "UNKNOWN", body, expiresAt: now + keptMillis } } as const
    yield* ledger.finish(reservation, ending)
    onTaskEnded?.(watched.task, ending, now)
    watched.finish("UNKNOWN", body)
  })

  return { apply, giveUp }
})
