import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Ledger } from "../ledger/Ledger.ts"
import { bare } from "./answers.ts"
import { endingOf } from "./ending.ts"
import type { Gates } from "./Gates.ts"
import type { Looked } from "./look.ts"
import { ReportedCost } from "./ReportedCost.ts"
import { bodyOf, type Seen } from "./seen.ts"
import type { TaskRows } from "./TaskRows.ts"
import type { Watched } from "./Watched.ts"
import { Watching } from "./Watching.ts"

/** What follows from a look. */
export const make = Effect.fnUntraced(function* (rows: TaskRows, ledger: Ledger["Service"], gates: Gates) {
  const { keptMillis } = yield* Watching
  const reportedCost = yield* ReportedCost

  /** It is shown as ended only when that is recorded. */
  const end = Effect.fnUntraced(function* (one: Watched, seen: Seen, now: number) {
    const { createdAt, id, reservation } = one.task
    const { status } = seen
    const body = bodyOf(id, seen, createdAt, now)
    const ending = endingOf(one.task, seen, { id, status, body, expiresAt: now + keptMillis }, reportedCost)
    if (ending === undefined) return false
    yield* ledger.finish(reservation, ending)
    one.end(status, body)
    return true
  })

  const note = Effect.fnUntraced(function* (one: Watched, status: Seen["status"], body: string) {
    // What is not written now is seen again.
    if (one.note(status, body)) yield* Effect.ignore(rows.note(one.task.id, status, body))
  })

  const saw = Effect.fnUntraced(function* (one: Watched, looked: Looked) {
    const now = yield* Clock.currentTimeMillis
    const { createdAt, id, provider } = one.task
    one.lookedAt = now
    if (looked.kind === "limited" || looked.kind === "failed") {
      one.failures++
      if (looked.kind === "failed") return yield* gates.failed(provider, looked.why)
      return gates.pause(provider, now, Math.max(looked.millis, one.backoff))
    }
    one.failures = 0
    yield* gates.succeeded(provider)
    const isLost = looked.kind === "lost" || looked.seen.status === "UNKNOWN"
    one.lostAt = isLost ? (one.lostAt ?? now) : undefined
    if (looked.kind === "lost") return yield* note(one, "UNKNOWN", bare(id, "UNKNOWN"))
    if (!(yield* end(one, looked.seen, now))) {
      yield* note(one, looked.seen.status, bodyOf(id, looked.seen, createdAt, now))
    }
  })

  /** What it cost is not known, and nobody will ask any more. */
  const giveUp = Effect.fnUntraced(function* (one: Watched) {
    const { id, provider, reservation } = one.task
    const body = bare(id, "UNKNOWN")
    yield* Effect.logWarning("a task is given up", { call: reservation.call, provider })
    const expiresAt = (yield* Clock.currentTimeMillis) + keptMillis
    yield* ledger.finish(reservation, { kind: "mark_unknown", task: { id, status: "UNKNOWN", body, expiresAt } })
    one.end("UNKNOWN", body)
  })

  return { saw, giveUp }
})
