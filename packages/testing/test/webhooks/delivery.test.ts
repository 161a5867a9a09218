import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { describe, expect, it } from "@effect/vitest"
import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { Endpoints } from "@tollgate/ledger/outbox/Endpoints"
import * as Outbox from "@tollgate/ledger/outbox/Outbox"
import { pauseAfter } from "@tollgate/ledger/webhooks/Delivery"
import { delivering, endpointOf, outboxWith, recording, unknownCalls } from "@tollgate/testing/webhooks/receiver"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"

const states = Effect.flatMap(Outbox.make, ({ list }) => list(undefined, 1_000)).pipe(
  Effect.map((entries) => entries.map(({ state }) => state))
)

/** Signatures are made outside the clock of the test: waits until something is so. */
const until = <R>(isSo: Effect.Effect<boolean, never, R>): Effect.Effect<void, never, R> =>
  Effect.promise(() => new Promise<void>((next) => setTimeout(next, 1))).pipe(
    Effect.andThen(isSo),
    Effect.repeat({ until: (done) => done }),
    Effect.asVoid
  )

describe("delivering webhooks", () => {
  it.effect("tries again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, then gives up", () => {
    const times: Array<number> = []
    const network = recording(() =>
      Effect.as(
        Effect.tap(Clock.currentTimeMillis, (now) => Effect.sync(() => times.push(now / 1000))),
        500
      )
    )
    return Effect.gen(function* () {
      yield* unknownCalls(1)
      const outbox = yield* Outbox.make
      const expected = [0, 5, 305, 2_105, 9_305, 27_305, 63_305, 99_305]
      for (const [i, at] of expected.entries()) {
        if (at > 0) yield* TestClock.setTime(at * 1000 - 1)
        if (at > 0) expect(yield* outbox.claim("one", 8, at)).toEqual([])
        yield* TestClock.setTime(at * 1000)
        const tried = until(Effect.map(Effect.orDie(outbox.list()), ([entry]) => entry?.attempts === i + 1))
        yield* Effect.scoped(Effect.andThen(delivering, tried))
      }
      expect(times).toEqual(expected)
      expect(yield* outbox.list()).toMatchObject([{ state: "failed", attempts: 8, result: "status 500" }])
      expect(new Set(network.sent.map(({ id }) => id)).size).toBe(1)
      expect(network.sent).toHaveLength(8)
    }).pipe(Effect.provide([network.layer, outboxWith(new Endpoints([endpointOf("one")]))]))
  })

  it("waits up to a tenth longer, at random, and never less", () => {
    expect([pauseAfter(1, 0), pauseAfter(1, 0.5), pauseAfter(1, 1)]).toEqual([5_000, 5_250, 5_500])
    expect([pauseAfter(7, 1), pauseAfter(8, 0)]).toEqual([39_600_000, undefined])
  })

  it.effect("ends with the first answer of 2xx; 410 ends it at once", () => {
    const answers = [500, 302, 204]
    const network = recording((to) => Effect.sync(() => (to === "gone" ? 410 : (answers.shift() ?? 599))))
    return Effect.gen(function* () {
      yield* unknownCalls(1)
      const outbox = yield* delivering
      const at = (count: number) => until(Effect.sync(() => network.sent.length === count))
      yield* TestClock.adjust(0)
      yield* at(2)
      yield* until(Effect.map(Effect.orDie(states), (all) => all.includes("failed")))
      yield* TestClock.adjust("5 seconds")
      yield* at(3)
      yield* until(Effect.map(Effect.orDie(outbox.list("pending")), ([entry]) => entry?.attempts === 2))
      yield* TestClock.adjust("5 minutes")
      yield* until(Effect.map(Effect.orDie(states), (all) => all.includes("delivered")))
      expect(network.sent.map(({ to }) => to).toSorted()).toEqual(["gone", "one", "one", "one"])
      expect(yield* outbox.list("failed")).toMatchObject([{ endpoint: "gone", attempts: 1, result: "status 410" }])
      expect(yield* outbox.list("delivered")).toMatchObject([{ endpoint: "one", attempts: 3, result: "status 204" }])
    }).pipe(Effect.provide([network.layer, outboxWith(new Endpoints([endpointOf("one"), endpointOf("gone")]))]))
  })

  it.effect("an endpoint that hangs is given up after 10 seconds, and holds up no other", () => {
    const network = recording((to) => (to === "hangs" ? Effect.never : Effect.succeed(200)))
    return Effect.gen(function* () {
      yield* unknownCalls(20)
      const outbox = yield* delivering
      const delivered = until(Effect.map(Effect.orDie(outbox.list("delivered", 1_000)), (all) => all.length === 20))
      yield* TestClock.adjust(0)
      yield* delivered
      const hanging = () => network.sent.filter(({ to }) => to === "hangs").length
      expect(hanging()).toBe(8)
      yield* TestClock.adjust(9_999)
      expect((yield* outbox.list("pending")).every(({ attempts }) => attempts === 0)).toBe(true)
      yield* TestClock.adjust(1)
      yield* until(
        Effect.map(Effect.orDie(outbox.list("pending")), (all) => all.filter((one) => one.attempts === 1).length === 8)
      )
      expect((yield* outbox.list("pending")).find(({ attempts }) => attempts === 1)?.result).toBe("no answer in time")
      yield* until(Effect.sync(() => hanging() === 16))
    }).pipe(Effect.provide([network.layer, outboxWith(new Endpoints([endpointOf("hangs"), endpointOf("one")]))]))
  })

  it.effect("a gateway that is killed after sending leaves the message to be sent again, under the same id", () => {
    const answered = Deferred.makeUnsafe<number>()
    const network = recording(() => Deferred.await(answered))
    return Effect.gen(function* () {
      yield* unknownCalls(1)
      const killed = yield* Scope.make()
      yield* Scope.provide(delivering, killed)
      yield* TestClock.adjust(0)
      yield* until(Effect.sync(() => network.sent.length === 1))
      yield* Scope.close(killed, Exit.void)
      yield* Deferred.succeed(answered, 200)
      const outbox = yield* delivering
      // Until then another gateway could still be sending it.
      yield* TestClock.adjust("79 seconds")
      expect(network.sent).toHaveLength(1)
      yield* TestClock.adjust("1 second")
      yield* until(Effect.map(Effect.orDie(states), ([state]) => state === "delivered"))
      expect(network.sent).toHaveLength(2)
      expect(new Set(network.sent.map(({ id }) => id)).size).toBe(1)
      expect(yield* outbox.list()).toHaveLength(1)
    }).pipe(Effect.provide([network.layer, outboxWith(new Endpoints([endpointOf("one")]))]))
  })

  it.effect("several gateways on one store send each message once", () => {
    const network = recording(() => Effect.succeed(200))
    return Effect.gen(function* () {
      yield* unknownCalls(100)
      const outbox = yield* delivering
      yield* delivering
      yield* delivering
      yield* TestClock.adjust(0)
      yield* until(Effect.map(Effect.orDie(outbox.list("delivered", 1_000)), (all) => all.length === 100))
      expect(network.sent).toHaveLength(100)
      expect(new Set(network.sent.map(({ id }) => id)).size).toBe(100)
    }).pipe(Effect.provide([network.layer, outboxWith(new Endpoints([endpointOf("one")]))]))
  })

  it.effect("a reload adds, changes and removes endpoints while messages are sent", () => {
    const endpoints = new Endpoints()
    const network = recording((to) =>
      to === "old" ? Effect.fail(new NotCarried({ why: "broken" })) : Effect.succeed(200)
    )
    return Effect.gen(function* () {
      const outbox = yield* delivering
      yield* unknownCalls(1)
      yield* TestClock.adjust("1 minute")
      expect(yield* outbox.list()).toEqual([])
      endpoints.set([endpointOf("old")])
      yield* unknownCalls(1)
      yield* TestClock.adjust(1_000)
      yield* until(Effect.map(Effect.orDie(outbox.list()), ([entry]) => entry?.attempts === 1))
      // The operator corrects the address; the message goes to the new one.
      endpoints.set([endpointOf("old", { url: "https://new.example.com" })])
      yield* TestClock.adjust("10 seconds")
      yield* until(Effect.map(Effect.orDie(states), ([state]) => state === "delivered"))
      expect(network.sent.map(({ outgoing, to }) => to + outgoing.path)).toEqual(["old/hook?from=tollgate", "new/"])
      endpoints.set([])
      yield* unknownCalls(1)
      yield* TestClock.adjust("1 hour")
      expect(yield* outbox.list()).toHaveLength(1)
    }).pipe(Effect.provide([network.layer, outboxWith(endpoints)]))
  })

  it.effect("a flood of unknown calls is sent eight at a time, each once", () => {
    const flood = countOf("TOLLGATE_TEST_WEBHOOK_FLOOD", 200, 2_000)
    const network = recording(() => Effect.succeed(200))
    return Effect.gen(function* () {
      yield* unknownCalls(flood)
      const outbox = yield* delivering
      yield* TestClock.adjust(0)
      yield* until(Effect.map(Effect.orDie(outbox.list("pending", 1)), (all) => all.length === 0))
      expect([network.sent.length, new Set(network.sent.map(({ id }) => id)).size]).toEqual([flood, flood])
      expect(network.most.open).toBeLessThanOrEqual(8)
    }).pipe(Effect.provide([network.layer, outboxWith(new Endpoints([endpointOf("one")]))]))
  })
})
