import { describe, expect, it } from "@effect/vitest"
import { Fleet, Limits, LimitsFallback } from "@tollgate/gateway"
import type { LimitStore } from "@tollgate/gateway/driver"
import { Patience } from "@tollgate/gateway/limits/shared/Reach"
import { type Cable, cableTo } from "@tollgate/testing/limits/Cable"
import { exchange, principal } from "@tollgate/testing/limits/exchange"
import { postgresLimits } from "@tollgate/testing/limits/postgres"
import { hasRedis, redisLimits, redisUrl } from "@tollgate/testing/limits/redis"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import type { Scope } from "effect/Scope"

const huge = { rpm: 1_000_000, tpm: 1_000_000_000, concurrency: 1_000 }

const cableFor = (url: URL) =>
  Effect.acquireRelease(
    Effect.promise(() => cableTo(Number(url.port))),
    (cable) => Effect.sync(cable.close)
  )

interface Connected {
  readonly cable: Cable
  readonly store: Layer.Layer<LimitStore, unknown>
}

const overRedis: Effect.Effect<Connected, unknown, Scope> = Effect.gen(function* () {
  const url = new URL(yield* redisUrl)
  const cable = yield* cableFor(url)
  const storeOf = yield* redisLimits(`redis://127.0.0.1:${cable.port}`).join
  return { cable, store: storeOf() }
})

const overPostgres: Effect.Effect<Connected, unknown, Scope> = Effect.gen(function* () {
  const url = new URL(Redacted.value(yield* migratedDatabase))
  const cable = yield* cableFor(url)
  url.port = String(cable.port)
  const storeOf = yield* postgresLimits(Redacted.make(url.href)).join
  return { cable, store: storeOf() }
})

const threeGateways = Layer.succeed(Fleet, {
  isAlone: false,
  owner: () => "one",
  size: () => 3,
  asOwner: () => Effect.die("unused"),
  onGone: () => {},
  setConfig: () => Effect.void
})

const limitsOn = ({ store }: Connected, fallback: "share" | "refuse" = "share") => {
  // A slow machine is not taken for a store that is gone: a test is impatient only while it holds the connection.
  const patience = { waitMillis: 60_000, tryMillis: 20 }
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(Array.isArray(message) ? message[0] : message)))
  const layer = Limits.layerShared.pipe(
    Layer.provide([store, threeGateways, Layer.succeed(Patience, patience), Layer.succeed(LimitsFallback, fallback)]),
    Layer.provide(Logger.layer([logger])),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Info"))
  )
  return Effect.map(Layer.build(layer), (context) => ({
    lines,
    patience,
    limits: Effect.provideContext(Limits, context)
  }))
}

for (const [name, isThere, connect] of [
  ["Redis", hasRedis, overRedis],
  ["PostgreSQL", hasPostgres, overPostgres]
] as const) {
  describe.runIf(isThere)(`if ${name} is gone`, () => {
    for (const how of ["cut", "hold"] as const) {
      it.live(`each gateway applies its share, and all of it when it is back (${how})`, () =>
        Effect.gen(function* () {
          const connected = yield* connect
          const { limits: made, lines, patience } = yield* limitsOn(connected)
          const limits = yield* made
          const by = principal({ ...huge, rpm: 7, concurrency: 2 })
          const call = () => exchange({ at: "chat", by })
          const before = yield* limits.admit(call())
          yield* limits.admit(call())
          expect((yield* Effect.flip(limits.admit(call()))).refusal.message).toContain("2 calls at a time")

          connected.cable[how]()
          patience.waitMillis = 50
          // A third of 7, rounded up, and of 2. What was used before does not count.
          const alone = yield* limits.admit(call())
          expect(alone.limits).toMatchObject({ limitRequests: 3, remainingRequests: 2 })
          expect((yield* Effect.flip(limits.admit(call()))).refusal.message).toContain("1 calls at a time")
          yield* alone.end(undefined)
          yield* before.end(undefined)
          expect(yield* limits.state(by)).toMatchObject({ requests: { limit: 3 } })
          expect(lines).toEqual(["the store of the limits is gone"])

          connected.cable.mend()
          patience.waitMillis = 60_000
          const shared = Effect.flatMap(limits.state(by), (state) =>
            state?.requests.limit === 7 ? Effect.succeed(state) : Effect.fail("gone")
          )
          // What ended meanwhile has made room.
          expect((yield* Effect.eventually(shared)).concurrency.running).toBe(1)
          yield* limits.admit(call())
          expect(lines).toEqual([
            "the store of the limits is gone",
            "the store of the limits is back; limits are shared again"
          ])
        }).pipe(Effect.scoped)
      )
    }

    it.live("calls get 503 with Retry-After if the operator has chosen so", () =>
      Effect.gen(function* () {
        const connected = yield* connect
        const { limits: made } = yield* limitsOn(connected, "refuse")
        const limits = yield* made
        connected.cable.cut()
        for (let i = 0; i < 3; i++) {
          const { refusal } = yield* Effect.flip(limits.admit(exchange({ by: principal(huge) })))
          expect(refusal).toMatchObject({ code: "limits_unavailable", retryAfter: 1_000 })
        }
        yield* limits.admit(exchange({ by: undefined }))
        expect((yield* Effect.flip(limits.state(principal(huge)))).refusal.code).toBe("limits_unavailable")
      }).pipe(Effect.scoped)
    )
  })
}
