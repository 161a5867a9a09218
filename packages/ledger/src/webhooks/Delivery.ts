import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Clock from "effect/Clock"
import type { Mac } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type { Scope } from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import * as WriteFailure from "../commit/WriteFailure.ts"
import { type Endpoint, Webhooks } from "../outbox/Endpoints.ts"
import { AnswerMillis, send, type Sent } from "./send.ts"
import * as Queue from "effect/Queue"
import * as Marks from "../outbox/Marks.ts"
import * as Outbox from "../outbox/Outbox.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The pauses after each failed attempt. After the last of them there is one more attempt. */
const pauses = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour]

/** Added at random, so that what failed together is not sent again together. */
const jitter = 0.1

/** How long to wait after that many attempts; `random` is from 0 to 1. `undefined`: give up. */
export const pauseAfter = (attempts: number, random: number): number | undefined => {
  const pause = pauses[attempts - 1]
  return pause === undefined ? undefined : pause + Math.floor(pause * jitter * random)
}

/** Messages to one endpoint at a time. An endpoint never waits for another. */
const atOnce = 8

const pollMillis = 1_000
const recordRetries = 5

const cleanEvery = "1 hour"

const attemptOf = (entry: Outbox.Entry, { outcome, result }: Sent, now: number, random: number): Outbox.Attempt => {
  if (outcome === "delivered") return { state: "delivered", result, nextAt: now }
  const pause = outcome === "gone" ? undefined : pauseAfter(entry.attempts + 1, random)
  return pause === undefined
    ? { state: "failed", result, nextAt: now }
    : { state: "pending", result, nextAt: now + pause }
}

const deliver = Effect.fnUntraced(function* (outbox: Outbox.Outbox, endpoint: Endpoint, entry: Outbox.Entry) {
  const sent = yield* send(endpoint, entry.id, entry.body)
  const attempt = attemptOf(entry, sent, yield* Clock.currentTimeMillis, yield* Random.next)
  // A result that is not recorded is sent again later.
  yield* Effect.retry(outbox.record(entry.id, attempt), { schedule: WriteFailure.retry, times: recordRetries })
  if (attempt.state === "failed") {
    const { attempts, id, type } = entry
    yield* Effect.logWarning("webhook not delivered", { id, type, attempts: attempts + 1, result: sent.result })
  }
})

/** Sends what is due at an endpoint until nothing is. Asks for the endpoint each time, which a reload may change or remove. */
const deliverAll = (outbox: Outbox.Outbox, id: string): Effect.Effect<void, SqlError, Carrier | Mac> =>
  Effect.gen(function* () {
    const endpoints = yield* Webhooks
    // Longer than an attempt takes: connecting, the answer, and its body.
    const leaseMillis = 60_000 + 2 * (yield* AnswerMillis)
    for (;;) {
      const endpoint = endpoints.get(id)
      if (endpoint === undefined) return
      const claimed = yield* outbox.claim(id, atOnce, (yield* Clock.currentTimeMillis) + leaseMillis)
      if (claimed.length === 0) return
      yield* Effect.forEach(claimed, (entry) => Effect.ignore(deliver(outbox, endpoint, entry)), {
        concurrency: "unbounded",
        discard: true
      })
    }
  })

/**
 * Delivers what is in the outbox, at least once. A gateway that is killed between sending and recording leaves the entry to
 * be sent again under the same id. Does nothing while no endpoint is configured.
 */
export const startDelivery = Effect.fnUntraced(function* (
  outbox: Outbox.Outbox
): Effect.fn.Return<void, never, Scope | Carrier | Mac> {
  const endpoints = yield* Webhooks
  const fibers = yield* FiberMap.make<string>()

  // The ledger reports a store that fails; here it is tried again a second later.
  const poll = Effect.suspend(() =>
    Effect.forEach(endpoints.all, ({ id }) =>
      FiberMap.run(fibers, id, Effect.ignore(deliverAll(outbox, id)), { onlyIfMissing: true })
    )
  )
  const clean = Effect.ignore(outbox.deleteOld)

  yield* endpoints.awaitSome.pipe(
    Effect.andThen(poll),
    Effect.andThen(Effect.sleep(pollMillis)),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.andThen(endpoints.awaitSome, clean).pipe(Effect.repeat(Schedule.spaced(cleanEvery)), Effect.forkScoped)
})

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
  yield* startDelivery(outbox)
  return {
    outbox,
    audited: marks.audited,
    /** Does not wait: a breaker changes in the middle of a call. */
    onUpstreamChange: (name: string, isUp: boolean): void => {
      Queue.offerUnsafe(changes, [name, isUp])
    }
  }
})
