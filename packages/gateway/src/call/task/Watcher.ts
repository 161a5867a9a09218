import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Fleet } from "@tollgate/ledger/fleet/Fleet"
import { singleFlight } from "../../internal/once.ts"
import type { Ledger } from "@tollgate/ledger/ledger/Ledger"
import { cancelUpstream, pollUpstream } from "../../upstream/pollUpstream.ts"
import type { TaskProtocol } from "../../upstream/Protocol.ts"
import type { Provider } from "../../upstream/Provider.ts"
import * as PollResults from "./pollResults.ts"
import { ProviderThrottle } from "./ProviderThrottle.ts"
import type { TaskRecords } from "@tollgate/ledger/commit/taskRows"
import type { RunningTask } from "@tollgate/ledger/ledger/Task"
import { lookEveryMillis, WatchedTask, WatchSettings } from "./WatchedTask.ts"

/** Finds tasks that another process started, or that were stored late. */
const reloadEvery = "30 seconds"

/** The most tasks of other gateways whose last poll is remembered. */
const maxVisited = 1_000

/** How long a caller's poll waits for the upstream. */
const callerWaitMillis = 2_000

/** Where a task is polled, and how. */
export interface PollTarget {
  readonly provider: Provider
  readonly protocol: TaskProtocol
}

const notConfigured = { kind: "failed", reason: "not configured" } as const

/**
 * Polls every task until it has ended, whether callers poll it or not. The poll times are kept in memory only: after a
 * restart every running task is polled at once. Each task is watched by one gateway, the owner of its call.
 */
export const make = Effect.fnUntraced(function* (
  records: TaskRecords,
  ledger: Ledger["Service"],
  carrier: Carrier["Service"],
  fleet: Fleet["Service"],
  targetOf: (task: RunningTask) => PollTarget | undefined
) {
  const settings = yield* WatchSettings
  const scope = yield* Effect.scope
  const throttle = new ProviderThrottle(settings.concurrency)
  const results = yield* PollResults.make(records, ledger, throttle)
  const oneAtATime = singleFlight<void, never>(scope)
  const watchedTasks = new Map<string, WatchedTask>()

  const exclusive = (watched: WatchedTask, action: Effect.Effect<void>): Effect.Effect<void> =>
    oneAtATime(
      watched.task.id,
      Effect.catchCause(Effect.interruptible(action), (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.logError("watching a task failed", { call: watched.task.reservation.call })
      )
    )

  const poll = (watched: WatchedTask) =>
    Effect.suspend(() => {
      const { provider, reservation, upstreamId } = watched.task
      const target = targetOf(watched.task)
      if (target === undefined) return results.apply(watched, notConfigured)
      const polled = pollUpstream(carrier, target.provider, target.protocol, upstreamId, reservation.call)
      return Effect.flatMap(throttle.run(provider, polled), (result) =>
        result === undefined ? Effect.void : results.apply(watched, result)
      )
    })

  const watch = Effect.fnUntraced(function* (watched: WatchedTask, firstMillis: number) {
    let gateway = fleet.owner()
    let wait = firstMillis
    for (;;) {
      if (wait > 0) yield* Effect.sleep(wait)
      if (gateway !== fleet.owner()) {
        // Others took this gateway for dead, and may have taken the task too.
        gateway = fleet.owner()
        if (!(yield* records.isWatchedBy(watched.task.id, gateway))) return
      }
      // A caller's poll may have finished it during the wait.
      if (!watched.isFinished) yield* exclusive(watched, poll(watched))
      const now = yield* Clock.currentTimeMillis
      if (!watched.isFinished && watched.shouldGiveUp(now)) yield* exclusive(watched, results.giveUp(watched))
      if (watched.isFinished) return
      wait = watched.nextInterval(now, throttle.pauseLeft(watched.task.provider, now))
    }
  })

  const add = (task: RunningTask, firstMillis: number): Effect.Effect<WatchedTask> =>
    Effect.suspend(() => {
      const known = watchedTasks.get(task.id)
      if (known !== undefined) return Effect.succeed(known)
      const watched = new WatchedTask(task, settings)
      watchedTasks.set(task.id, watched)
      const watching = Effect.ensuring(
        watch(watched, firstMillis),
        Effect.sync(() => watchedTasks.delete(task.id))
      )
      return Effect.as(Effect.forkIn(watching, scope), watched)
    })

  const own = fleet.isAlone ? records.running : Effect.suspend(() => records.watchedBy(fleet.owner()))
  const reload = Effect.flatMap(own, (tasks) => Effect.forEach(tasks, (task) => add(task, 0))).pipe(
    Effect.tapError(() => Effect.logError("reading running tasks failed")),
    Effect.ignore
  )
  fleet.onGone(reload)
  yield* Effect.forkScoped(Effect.repeat(reload, Schedule.spaced(reloadEvery)))

  const visited = new Map<string, WatchedTask>()
  const visit = (task: RunningTask): WatchedTask => {
    const watched = visited.get(task.id) ?? new WatchedTask(task, settings)
    watched.update(task.status, task.body)
    visited.delete(task.id)
    visited.set(task.id, watched)
    const [oldest] = visited.keys()
    if (visited.size > maxVisited && oldest !== undefined) visited.delete(oldest)
    return watched
  }

  /** A task that was given up may have ended since. Another gateway may look too: its end is recorded once. */
  const lookAgain = Effect.flatMap(
    Effect.suspend(() => records.givenUp(fleet.isAlone ? undefined : fleet.owner())),
    Effect.forEach((task) => Effect.suspend(() => exclusive(visit(task), poll(visit(task)))), {
      concurrency: settings.concurrency,
      discard: true
    })
  )
  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(lookAgain), Schedule.spaced(lookEveryMillis)))

  return {
    get: (id: string) => watchedTasks.get(id),
    visit,
    addCreated: (task: RunningTask) => add(task, settings.firstMillis),
    /** A task from the store. One that another gateway watches is polled here only when a caller asks. */
    addStored: (task: RunningTask, gateway: string) =>
      fleet.isAlone || gateway === fleet.owner() ? add(task, 0) : Effect.sync(() => visit(task)),
    /** Asks the upstream to stop the task, and then how it is. `undefined`: it cannot be asked. */
    cancel: Effect.fnUntraced(function* (watched: WatchedTask) {
      const { reservation, upstreamId } = watched.task
      const target = targetOf(watched.task)
      if (target === undefined) return "failed"
      const asked = yield* cancelUpstream(carrier, target.provider, target.protocol, upstreamId, reservation.call)
      if (asked === "asked") yield* Effect.timeoutOption(exclusive(watched, poll(watched)), callerWaitMillis)
      return asked
    }),
    /** Polls the upstream if the last result is stale. Waits for it a bounded time. */
    refresh: (watched: WatchedTask) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        watched.isStale(now)
          ? Effect.asVoid(Effect.timeoutOption(exclusive(watched, poll(watched)), callerWaitMillis))
          : Effect.void
      )
  }
})
