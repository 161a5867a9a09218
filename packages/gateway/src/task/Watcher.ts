import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Ledger } from "../ledger/Ledger.ts"
import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import type { Provider } from "../upstream/Provider.ts"
import { Gates } from "./Gates.ts"
import { look } from "./look.ts"
import * as Outcomes from "./outcomes.ts"
import { single } from "./single.ts"
import type { Running } from "./Task.ts"
import type { TaskRows } from "./TaskRows.ts"
import { patienceMillis, Watched } from "./Watched.ts"
import { Watching } from "./Watching.ts"

/** Tasks that this process did not begin, or whose beginning was recorded late. */
const takeUpEvery = "30 seconds"

const unconfigured = { kind: "failed", why: "not configured" } as const

/**
 * Looks after every task until it has ended, whether anybody polls or not. When to look next is known here alone: after a
 * restart all that have not ended are looked at anew.
 */
export const make = Effect.fnUntraced(function* (
  rows: TaskRows,
  ledger: Ledger["Service"],
  carrier: Carrier["Service"],
  provider: (name: string) => Provider | undefined
) {
  const options = yield* Watching
  const scope = yield* Effect.scope
  const gates = new Gates(options.concurrency)
  const { giveUp, saw } = yield* Outcomes.make(rows, ledger, gates)
  const once = single(scope)
  const watched = new Map<string, Watched>()

  const lookOnce = (one: Watched) =>
    Effect.suspend(() => {
      const { provider: name, reservation, upstream } = one.task
      const found = provider(name)
      if (found === undefined) return saw(one, unconfigured)
      return Effect.flatMap(gates.through(name, look(carrier, found, upstream, reservation.call)), (looked) =>
        looked === undefined ? Effect.void : saw(one, looked)
      )
    })

  const watch = Effect.fnUntraced(function* (one: Watched, first: number) {
    let wait = first
    for (;;) {
      if (wait > 0) yield* Effect.sleep(wait)
      // A poll may have seen the end first.
      if (!one.isOver) yield* once(one, lookOnce)
      const now = yield* Clock.currentTimeMillis
      if (!one.isOver && one.isHopeless(now)) yield* once(one, giveUp)
      if (one.isOver) return
      wait = one.turn(now, gates.pausedFor(one.task.provider, now))
    }
  })

  const add = (task: Running, first: number): Effect.Effect<Watched> =>
    Effect.suspend(() => {
      const known = watched.get(task.id)
      if (known !== undefined) return Effect.succeed(known)
      const one = new Watched(task, options)
      watched.set(task.id, one)
      const forgotten = Effect.ensuring(
        watch(one, first),
        Effect.sync(() => watched.delete(task.id))
      )
      return Effect.as(Effect.forkIn(forgotten, scope), one)
    })

  const takeUp = Effect.flatMap(rows.running, (tasks) => Effect.forEach(tasks, (task) => add(task, 0)))
  yield* Effect.ignore(Effect.tapError(takeUp, () => Effect.logError("the tasks cannot be read"))).pipe(
    Effect.repeat(Schedule.spaced(takeUpEvery)),
    Effect.forkScoped
  )

  return {
    /** A task that has just begun. */
    begun: (task: Running) => add(task, options.firstMillis),
    /** One that is in the store, and may be another process's. */
    found: (task: Running) => add(task, 0),
    get: (id: string) => watched.get(id),
    /** Looks again where the last look is old, and is patient for a while only. */
    refresh: (one: Watched) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        one.isStale(now) ? Effect.asVoid(Effect.timeoutOption(once(one, lookOnce), patienceMillis)) : Effect.void
      )
  }
})
