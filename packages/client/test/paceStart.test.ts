import { describe, expect, it } from "@effect/vitest"
import type { Client } from "@tollgate/client"
import type { RateLimits } from "@tollgate/contract/RateLimits"
import { allowances } from "@tollgate/contract/Tier"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { inOrder, refusal } from "./attempts.ts"
import { ask, type Handler, limitsHeaders, ok, pacedClient, times } from "./paceSetup.ts"
import { fail, Unsent } from "./scripted.ts"

const { Free, Growth } = allowances

const reported = ({ rpm, tpm }: typeof Free | typeof Growth, used = 0): RateLimits => ({
  limitRequests: rpm,
  remainingRequests: rpm - used,
  limitTokens: tpm,
  remainingTokens: tpm
})

/** Answers the first request when told to, and the others at once. */
const held = Effect.fnUntraced(function* (first: Handler, others: Handler = first) {
  const open = yield* Deferred.make<void>()
  let count = 0
  const handler: Handler = (...request) =>
    count++ === 0
      ? Effect.andThen(Deferred.await(open), first(...request))
      : Effect.andThen(Effect.never, others(...request))
  return { handler, answer: Effect.andThen(Deferred.succeed(open, undefined), TestClock.adjust(0)) }
})

describe("before the limits of a key are known", () => {
  it.effect("no more is sent at once than the lowest tier allows", () =>
    Effect.gen(function* () {
      const calls: ReadonlyArray<readonly [() => Effect.Effect<unknown, unknown, Client>, number]> = [
        [ask.rerank, 60],
        [() => ask.chat(10), 5],
        [() => ask.chat(25_000), 2]
      ]
      for (const [call, most] of calls) {
        const { handler } = yield* held(ok())
        const client = pacedClient({ baseUrl: `http://${most}.invalid` }, handler)
        yield* Effect.forEach(times<Effect.Effect<unknown, unknown, Client>>(75, call), client.fork)
        expect(client.times).toHaveLength(most)
      }
    })
  )

  it.effect("the first answer's headers tell how much more is sent", () =>
    Effect.gen(function* () {
      const { answer, handler } = yield* held(ok(limitsHeaders(reported(Growth, 5))))
      const client = pacedClient({}, handler)
      yield* Effect.forEach(
        times(75, () => ask.chat(10)),
        client.fork
      )
      yield* answer
      expect(client.times).toHaveLength(1 + Growth.concurrency)
    })
  )

  it.effect("an answer without limits ends the restraint", () =>
    Effect.gen(function* () {
      const { answer, handler } = yield* held(ok())
      const client = pacedClient({}, handler)
      yield* Effect.forEach(
        times(75, () => ask.chat(10)),
        client.fork
      )
      yield* answer
      expect(client.times).toHaveLength(75)
    })
  )

  it.effect("a proxy's error does not end it", () =>
    Effect.gen(function* () {
      const { answer, handler } = yield* held(refusal(503))
      const client = pacedClient({}, handler)
      yield* Effect.forEach(
        times(75, () => ask.chat(10)),
        client.fork
      )
      yield* answer
      expect(client.times).toHaveLength(6)
    })
  )

  it.effect("calls fail at once while the gateway is down", () =>
    Effect.gen(function* () {
      const client = pacedClient({}, fail(new Unsent("refused")))
      yield* Effect.forEach(times(200, ask.rerank), client.fork)
      expect(client.times).toEqual(times(200, () => 0))
    })
  )

  it.effect("a group's own limit in the headers does not stand for the key's", () =>
    Effect.gen(function* () {
      const headers = limitsHeaders({ ...reported(Growth), limitRequests: 5, remainingRequests: 4 })
      const { answer, handler } = yield* held(ok(headers))
      const client = pacedClient({}, handler)
      yield* client.fork(ask.search())
      yield* Effect.forEach(
        times(75, () => ask.chat(10)),
        client.fork
      )
      yield* answer
      expect(client.times).toHaveLength(1 + Growth.concurrency)
    })
  )

  it.effect("calls that a lower limit refuses are all retried, also when the retry budget is used up", () =>
    Effect.gen(function* () {
      const no = refusal(429, "rate_limit_exceeded", { "retry-after": "1" })
      const refused = times<Handler>(
        20,
        () =>
          (...request) =>
            Effect.delay(no(...request), 1)
      )
      const client = pacedClient({ retry: {} }, inOrder(...refused, ok()))
      const all = Effect.all(times(30, ask.rerank), { concurrency: "unbounded" })
      const fiber = yield* client.fork(all)
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "Success" })
    })
  )

  it.effect("numbers and tiers that the caller sets are used instead", () =>
    Effect.gen(function* () {
      const all = [{ tier: "Growth" }, { concurrency: 50 }] as const
      for (const [i, pace] of all.entries()) {
        const { handler } = yield* held(ok())
        const client = pacedClient({ pace, baseUrl: `http://${i}.invalid` }, handler)
        yield* Effect.forEach(
          times(75, () => ask.chat(10)),
          client.fork
        )
        expect(client.times).toHaveLength(50)
      }
    })
  )
})
