import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as WriteFailure from "../commit/WriteFailure.ts"
import * as Delivery from "./Delivery.ts"
import * as Marks from "../outbox/Marks.ts"
import * as Outbox from "../outbox/Outbox.ts"

/** Changes of upstreams that wait for the store. Pauses of breakers bound how often there are any. */
const maxWaiting = 1_000

/** Starts delivering, for as long as the scope is open. */
export const start = Effect.gen(function* () {
  const outbox = yield* Outbox.make
  const marks = yield* Marks.make
  const changes = yield* Queue.sliding<readonly [name: string, isUp: boolean]>(maxWaiting)
  yield* Queue.take(changes).pipe(
    Effect.flatMap(([name, isUp]) => Effect.retry(marks.upstream(name, isUp), WriteFailure.retry)),
    Effect.ignore,
    Effect.forever,
    Effect.forkScoped
  )
  yield* Delivery.start(outbox)
  return {
    outbox,
    audited: marks.audited,
    /** Does not wait: a breaker changes in the middle of a call. */
    onUpstreamChange: (name: string, isUp: boolean): void => {
      Queue.offerUnsafe(changes, [name, isUp])
    }
  }
})
