import { describe, expect, it } from "@effect/vitest"
import { keepSalesSnapshot, salesSnapshot } from "@tollgate/client/contract"
import * as Effect from "effect/Effect"
import { answer, inOrder, refusal } from "./attempts.ts"
import { fail, scripted, Unsent } from "./scripted.ts"

type Handler = Parameters<typeof scripted>[0]

const observed_at = "2026-01-02T03:04:05.678Z"
const observedAt = Date.parse(observed_at)
const code = "verified_sales_source_unavailable"
const unavailable = answer(
  503,
  { error: { code, message: "None." }, freshness: "unavailable", reason_code: code },
  { "x-request-id": "req_1" }
)

const read = (handler: Handler) => Effect.provide(salesSnapshot(), scripted(handler).layer)

describe("a snapshot of sales data", () => {
  it.effect.each(["fresh", "stale"] as const)("that is %s has the time of its observation", (freshness) =>
    Effect.gen(function* () {
      const snapshot = yield* read(answer(200, { total: 7, freshness, observed_at }))
      expect(snapshot).toEqual({ freshness, observedAt, data: { total: 7 } })
    })
  )

  it.effect.each([
    [{ total: 7 }, { freshness: "unstated", data: { total: 7 } }],
    [{ observed_at }, { freshness: "unstated", observedAt, data: {} }],
    [{ freshness: "fresh" }, { freshness: "fresh", data: {} }],
    [
      { freshness: "ripe", observed_at: "lately" },
      { freshness: "unstated", data: { freshness: "ripe", observed_at: "lately" } }
    ],
    [
      { freshness: 1, observed_at: 2 },
      { freshness: "unstated", data: { freshness: 1, observed_at: 2 } }
    ]
  ] as const)("claims no more than the answer %j does, and keeps what is not understood", ([body, snapshot]) =>
    Effect.gen(function* () {
      expect(yield* read(answer(200, body))).toEqual(snapshot)
    })
  )

  it.effect("is unavailable with a reason, and nothing ran", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read(unavailable))
      expect(error).toMatchObject({
        _tag: "SalesUnavailable",
        message: "None.",
        freshness: "unavailable",
        reasonCode: code,
        requestId: "req_1",
        outcome: "not executed"
      })
    })
  )

  it.effect("is not affected by another 503", () =>
    Effect.gen(function* () {
      for (const handler of [refusal(503, "shutting_down"), answer(503, "busy"), answer(503, { freshness: 1 })]) {
        expect((yield* Effect.flip(read(handler)))._tag).toBe("Unavailable")
      }
      expect((yield* Effect.flip(read(refusal(500))))._tag).toBe("ServerFault")
    })
  )
})

describe("a snapshot that is kept", () => {
  const reading = (...handlers: ReadonlyArray<Handler>) =>
    Effect.gen(function* () {
      const read = yield* keepSalesSnapshot
      return yield* Effect.forEach(handlers, () =>
        Effect.match(read, { onSuccess: (snapshot) => snapshot, onFailure: ({ _tag }) => _tag })
      )
    }).pipe(Effect.provide(scripted(inOrder(...handlers)).layer))

  const fresh = (total: number, at = observed_at) => answer(200, { total, freshness: "fresh", observed_at: at })

  it.effect("is returned while the source is unavailable, as stale and with its own time", () =>
    Effect.gen(function* () {
      const later = "2026-01-03T00:00:00Z"
      expect(yield* reading(unavailable, fresh(7), unavailable, unavailable, fresh(8, later), unavailable)).toEqual([
        "SalesUnavailable",
        { freshness: "fresh", observedAt, data: { total: 7 } },
        { freshness: "stale", observedAt, data: { total: 7 } },
        { freshness: "stale", observedAt, data: { total: 7 } },
        { freshness: "fresh", observedAt: Date.parse(later), data: { total: 8 } },
        { freshness: "stale", observedAt: Date.parse(later), data: { total: 8 } }
      ])
    })
  )

  it.effect("does not hide other failures", () =>
    Effect.gen(function* () {
      const ends = yield* reading(fresh(7), refusal(503), fail(new Unsent("ECONNREFUSED")), refusal(429))
      expect(ends.slice(1)).toEqual(["Unavailable", "TransportFailed", "RateLimited"])
    })
  )

  it.effect("is separate for each reader", () =>
    Effect.gen(function* () {
      const one = yield* keepSalesSnapshot
      const two = yield* keepSalesSnapshot
      yield* one
      expect((yield* Effect.flip(two))._tag).toBe("SalesUnavailable")
      expect((yield* one).freshness).toBe("stale")
    }).pipe(Effect.provide(scripted(inOrder(fresh(7), unavailable)).layer))
  )
})
