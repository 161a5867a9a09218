import { describe, expect, it } from "@effect/vitest"
import { type Client, Policy, rerank, type RerankError, usage, videoCreate, withIdempotencyKey } from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { answer, attempts, inOrder, refusal } from "./attempts.ts"
import { credential, fail, question, ranking, scripted, Unsent } from "./scripted.ts"

const classes = ["free", "billed", "create"] as const

const video = { model: "m", input: { prompt: "p" } }

type Class = (typeof classes)[number]
type Failed = RerankError

const calls: Record<Class, Effect.Effect<unknown, Failed, Client>> = {
  free: usage({ start_time: 1 }),
  billed: rerank(question),
  create: videoCreate(video)
}

const hang = () => Effect.never

/** The number of attempts and the final error for each class of call. `-` is the failure itself. */
const table: ReadonlyArray<
  readonly [string, Parameters<typeof scripted>[0], Record<Class, readonly [number, string]>]
> = [
  ["a refused connection", fail(new Unsent("x")), { free: [4, "-"], billed: [4, "-"], create: [4, "-"] }],
  ["a reset", fail(new Error("x")), { free: [4, "-"], billed: [4, "OutcomeUnknown"], create: [1, "OutcomeUnknown"] }],
  ["silence", hang, { free: [1, "-"], billed: [1, "OutcomeUnknown"], create: [1, "OutcomeUnknown"] }],
  ["429", refusal(429, "rate_limit_exceeded"), { free: [4, "-"], billed: [4, "-"], create: [4, "-"] }],
  ["429 reserved", refusal(429, "balance_reserved"), { free: [4, "-"], billed: [4, "-"], create: [4, "-"] }],
  ["429 of a quota", refusal(429, "quota_exceeded"), { free: [1, "-"], billed: [1, "-"], create: [1, "-"] }],
  ["429 without a code", refusal(429), { free: [4, "-"], billed: [4, "-"], create: [4, "-"] }],
  ["502 unreachable", refusal(502, "upstream_unreachable"), { free: [4, "-"], billed: [4, "-"], create: [4, "-"] }],
  [
    "502",
    refusal(502, "upstream_failed"),
    { free: [4, "-"], billed: [4, "OutcomeUnknown"], create: [1, "OutcomeUnknown"] }
  ],
  ["503", refusal(503), { free: [4, "-"], billed: [4, "OutcomeUnknown"], create: [1, "OutcomeUnknown"] }],
  ["503 before it ran", refusal(503, "shutting_down"), { free: [4, "-"], billed: [4, "-"], create: [4, "-"] }],
  [
    "503 after it ran",
    refusal(503, "settlement_pending"),
    { free: [4, "-"], billed: [4, "OutcomeUnknown"], create: [1, "OutcomeUnknown"] }
  ],
  ["504", refusal(504), { free: [4, "-"], billed: [4, "OutcomeUnknown"], create: [1, "OutcomeUnknown"] }],
  ["no price", refusal(503, "billing_misconfigured"), { free: [1, "-"], billed: [1, "-"], create: [1, "-"] }],
  [
    "a wrong upstream key",
    refusal(503, "upstream_misconfigured"),
    { free: [1, "-"], billed: [1, "-"], create: [1, "-"] }
  ],
  ["408", refusal(408), { free: [1, "-"], billed: [1, "OutcomeUnknown"], create: [1, "OutcomeUnknown"] }],
  ["500", refusal(500), { free: [1, "-"], billed: [1, "OutcomeUnknown"], create: [1, "OutcomeUnknown"] }],
  ["500 unsupported uri", refusal(500, "unsupported_uri"), { free: [1, "-"], billed: [1, "-"], create: [1, "-"] }],
  ["a wrong shape", answer(200, []), { free: [1, "-"], billed: [1, "-"], create: [1, "-"] }],
  ["completed", refusal(409, "idempotency_completed"), { free: [1, "-"], billed: [1, "-"], create: [1, "-"] }],
  ["other 409", refusal(409), { free: [1, "-"], billed: [1, "-"], create: [1, "-"] }],
  [
    "unknown",
    refusal(409, "idempotency_unknown"),
    { free: [1, "-"], billed: [1, "OutcomeUnknown"], create: [1, "OutcomeUnknown"] }
  ],
  ...[400, 401, 402, 403, 404, 405, 413, 422].map(
    (status) => [String(status), refusal(status), { free: [1, "-"], billed: [1, "-"], create: [1, "-"] }] as const
  )
]

describe("how often a call is sent", () => {
  for (const [name, handler, expected] of table) {
    it.effect(name, () =>
      Effect.gen(function* () {
        for (const replay of classes) {
          const [count, tag] = expected[replay]
          const once = yield* attempts(calls[replay], handler, { retry: Policy.none })
          const made = yield* attempts(calls[replay], handler)
          expect(made.count, replay).toBe(count)
          expect(once.count, replay).toBe(1)
          const seen = made.result._tag === "Failure" ? made.result.failure : undefined
          const first = once.result._tag === "Failure" ? once.result.failure : undefined
          expect(seen?._tag, replay).toBe(tag === "-" ? first?._tag : tag)
          expect(seen?._tag === "OutcomeUnknown", replay).toBe(tag === "OutcomeUnknown")
          if (seen?._tag === "OutcomeUnknown") expect(seen.idempotencyKey, replay).toBe(made.keys[0])
          // All attempts share one key; a free call has none.
          expect(new Set(made.keys).size).toBe(1)
          if (replay === "free") expect(made.keys[0]).toBeUndefined()
          else expect(made.keys[0]).toMatch(/^[0-9a-f]{32}$/)
        }
      })
    )
  }

  it.effect("without keys a billed call is sent again only on proof that it did not run", () =>
    Effect.gen(function* () {
      const retry = { retries: 3, keys: false }
      for (const [handler, count] of [
        [fail(new Unsent("x")), 4],
        [refusal(429), 4],
        [refusal(502, "upstream_unreachable"), 4],
        [fail(new Error("x")), 1],
        [hang, 1],
        [refusal(503), 1],
        [refusal(409, "idempotency_in_flight"), 1]
      ] as const) {
        const made = yield* attempts(calls.billed, handler, { retry })
        expect([made.count, made.keys[0]]).toEqual([count, undefined])
      }
    })
  )

  it.effect("the first success is the answer", () =>
    Effect.gen(function* () {
      const made = yield* attempts(calls.billed, inOrder(fail(new Error("x")), refusal(503), answer(200, ranking)))
      expect(made.result).toMatchObject({ _tag: "Success", success: ranking })
      expect(made.count).toBe(3)
      expect(made.sent[0]?.request.headers).toMatchObject({ "x-tollgate-idempotency-mode": "replay" })
    })
  )
})

describe("an unknown outcome", () => {
  it.effect("is not resolved by a later refusal", () =>
    Effect.gen(function* () {
      const made = yield* attempts(calls.billed, inOrder(fail(new Error("reset")), refusal(429)))
      expect(made.result).toMatchObject({
        failure: { _tag: "OutcomeUnknown", outcome: "unknown", status: 429, idempotencyKey: made.keys[0] }
      })
      const proven = yield* attempts(calls.billed, inOrder(fail(new Unsent("refused")), refusal(429)))
      expect(proven.result).toMatchObject({ failure: { _tag: "RateLimited", outcome: "not executed" } })
    })
  )

  it.effect("of a create names the key and the failure, and shows no credential", () =>
    Effect.gen(function* () {
      const body = {
        code: "upstream_timeout",
        message: "Too late.",
        request_id: "req_1"
      }
      const made = yield* attempts(calls.create, answer(502, body))
      const failure = made.result._tag === "Failure" ? made.result.failure : undefined
      expect(failure).toMatchObject({
        _tag: "OutcomeUnknown",
        operation: "video.create",
        message: "Too late. (it may have run: `resume` asks for its outcome)",
        idempotencyKey: made.keys[0],
        status: 502,
        code: "upstream_timeout",
        requestId: "req_1",
        cause: { _tag: "UpstreamFailed", outcome: "unknown" }
      })
      expect(JSON.stringify(failure)).not.toContain(credential)
    })
  )
})

describe("a call that is still in flight", () => {
  it.effect("is requested again with the same key until it ends, after a second at first and then longer", () =>
    Effect.gen(function* () {
      const busy = refusal(409, "idempotency_in_flight")
      for (const [call, last] of [
        [calls.billed, answer(200, ranking)],
        [calls.create, answer(200, { output: { task_id: "t", task_status: "PENDING" }, request_id: "r" })]
      ] as const) {
        const made = yield* attempts(call, inOrder(busy, busy, busy, busy, last))
        expect(made.result._tag).toBe("Success")
        expect(new Set(made.keys).size).toBe(1)
        made.waits.forEach((wait, i) => {
          expect(wait).toBeGreaterThanOrEqual(750 * 2 ** i)
          expect(wait).toBeLessThanOrEqual(1250 * 2 ** i)
        })
      }
    })
  )

  it.effect("has an unknown outcome if it does not end within the patience", () =>
    Effect.gen(function* () {
      const made = yield* attempts(calls.billed, refusal(409, "idempotency_in_flight"))
      expect(made.result).toMatchObject({ failure: { _tag: "OutcomeUnknown", code: "idempotency_in_flight" } })
      expect(made.waits.reduce((a, b) => a + b)).toBeLessThanOrEqual(60_000)
      expect(made.count).toBeGreaterThan(4)
    })
  )
})

describe("the wait", () => {
  const patient = { ...Policy.standard, retries: 6, patienceMillis: 600_000 }
  const limited = (seconds: number) => refusal(429, "rate_limit_exceeded", { "retry-after": String(seconds) })

  it.effect("is 250 ms at first, doubles, and is at most 30 s", () =>
    Effect.gen(function* () {
      const retry = { ...patient, retries: 19, budget: { tokens: 20, perSuccess: 0 } }
      const { waits } = yield* attempts(calls.free, refusal(503), { retry })
      expect(waits).toHaveLength(19)
      waits.forEach((wait, i) => {
        const nominal = Math.min(30_000, 250 * 2 ** i)
        expect(wait).toBeGreaterThanOrEqual(Math.round(nominal * 0.75))
        expect(wait).toBeLessThanOrEqual(Math.min(30_000, Math.round(nominal * 1.25)))
      })
      expect(new Set(waits.slice(8)).size).toBeGreaterThan(3)
    })
  )

  it.effect("after a 429 starts at Retry-After and doubles", () =>
    Effect.gen(function* () {
      const { waits } = yield* attempts(calls.free, limited(3), { retry: patient })
      expect(waits).toHaveLength(6)
      waits.forEach((wait, i) => {
        expect(wait).toBeGreaterThanOrEqual(Math.max(3_000, Math.min(30_000, 3_000 * 2 ** i) * 0.75))
        expect(wait).toBeLessThanOrEqual(Math.min(30_000, 3_000 * 2 ** i * 1.25))
      })
    })
  )

  it.effect("is not shortened by a Retry-After of zero", () =>
    Effect.gen(function* () {
      for (const seconds of [0, 0.001, -1]) {
        const { count, waits } = yield* attempts(calls.free, limited(seconds))
        expect(count).toBe(4)
        waits.forEach((wait, i) => expect(wait).toBeGreaterThanOrEqual(0.75 * 250 * 2 ** i))
        expect(waits).not.toEqual([250, 500, 1_000])
      }
    })
  )

  it.effect("honours a Retry-After within the patience in full", () =>
    Effect.gen(function* () {
      const made = yield* attempts(calls.free, limited(50))
      expect(made.waits).toEqual([50_000])
      expect(made.result).toMatchObject({ failure: { _tag: "RateLimited", retryAfter: 50_000 } })
    })
  )

  it.effect("is skipped if Retry-After exceeds the patience, and the error names it", () =>
    Effect.gen(function* () {
      const made = yield* attempts(calls.free, limited(61))
      expect([made.count, made.result]).toMatchObject([1, { failure: { _tag: "RateLimited", retryAfter: 61_000 } }])
    })
  )

  const slowly: Parameters<typeof scripted>[0] = (request, url, signal) =>
    Effect.delay(refusal(503)(request, url, signal), "1 minute")

  it.effect("counts against the patience, and the time of attempts does not", () =>
    Effect.gen(function* () {
      const made = yield* attempts(calls.free, slowly, { retry: { ...patient, patienceMillis: 1_000 } })
      // 250 and 500 ms; the third wait would be longer than what is left.
      expect(made.count).toBe(3)
      expect(made.waits.every((wait) => wait > 60_000)).toBe(true)
    })
  )

  it.effect("is skipped if the call's time ends before", () =>
    Effect.gen(function* () {
      expect((yield* attempts(calls.free, limited(30), { timeout: 30_000 })).count).toBe(1)
      expect((yield* attempts(calls.free, limited(30), { timeout: 30_001 })).count).toBe(2)
    })
  )
})

it.effect("a client without retry budget sends each call once, until calls succeed again", () =>
  Effect.gen(function* () {
    let up = false
    const retry = { ...Policy.standard, budget: { tokens: 3, perSuccess: 0.1 }, backoffMillis: 0 }
    const { layer, sent } = scripted(
      (request, url, signal) => (up ? answer(200, ranking) : refusal(503))(request, url, signal),
      { retry }
    )
    const times = Effect.fnUntraced(function* (n: number) {
      const before = sent.length
      for (let i = 0; i < n; i++) yield* Effect.exit(rerank(question))
      return sent.length - before
    })
    yield* Effect.gen(function* () {
      expect(yield* times(5)).toBe(5 + 3)
      up = true
      expect(yield* times(9)).toBe(9)
      up = false
      expect(yield* times(1)).toBe(1)
      up = true
      yield* times(1)
      up = false
      expect(yield* times(2)).toBe(2 + 1)
    }).pipe(Effect.provide(layer))
  })
)

describe("the key", () => {
  it.effect("is new for each call, unless the caller sets one", () =>
    Effect.gen(function* () {
      const good = answer(200, ranking)
      const first = yield* attempts(calls.billed, good)
      const second = yield* attempts(calls.billed, good)
      expect(first.keys[0]).not.toBe(second.keys[0])
      const own = yield* attempts(calls.billed.pipe(withIdempotencyKey("order 7")), inOrder(refusal(503), good))
      expect(own.keys).toEqual(["order 7", "order 7"])
      const free = yield* attempts(calls.free.pipe(withIdempotencyKey("order 7")), refusal(400))
      expect(free.keys).toEqual([undefined])
    })
  )

  it.effect("that is not a valid header value is refused", () =>
    Effect.gen(function* () {
      for (const key of ["", " x", `a"b`, "a\nb", "é", "x".repeat(256)]) {
        const made = yield* attempts(calls.billed.pipe(withIdempotencyKey(key)), answer(200, ranking))
        expect([made.count, made.result]).toMatchObject([0, { failure: { _tag: "InputInvalid" } }])
      }
      expect(
        (yield* attempts(calls.billed.pipe(withIdempotencyKey("x".repeat(255))), answer(200, ranking))).count
      ).toBe(1)
    })
  )
})

type Kind = "reset" | "unsent" | "silence" | "good" | "unreachable" | "leaving" | 400 | 429 | 500 | 502 | 503 | 504

it("for any failures: no more attempts than allowed, no shortened wait, no create repeated with an unknown outcome", async () => {
  const event = fc.record({
    kind: fc.constantFrom<Kind>(
      "reset",
      "unsent",
      "silence",
      "good",
      "unreachable",
      "leaving",
      400,
      429,
      500,
      502,
      503,
      504
    ),
    after: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined })
  })
  const handlerOf = ({ after, kind }: { readonly after: number | undefined; readonly kind: Kind }) => {
    const headers = after === undefined ? {} : { "retry-after": String(after) }
    switch (kind) {
      case "reset":
        return { handler: fail(new Error("x")), after: 0, proven: false }
      case "unsent":
        return { handler: fail(new Unsent("x")), after: 0, proven: true }
      case "silence":
        return { handler: hang, after: 0, proven: false }
      case "good":
        return { handler: answer(200, {}), after: 0, proven: false }
      case "unreachable":
        return { handler: refusal(502, "upstream_unreachable", headers), after: after ?? 0, proven: true }
      case "leaving":
        return { handler: refusal(503, "shutting_down", headers), after: after ?? 0, proven: true }
      default:
        return { handler: refusal(kind, undefined, headers), after: after ?? 0, proven: kind === 429 || kind === 400 }
    }
  }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...classes),
      fc.array(event, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 0, max: 120_000 }),
      async (replay, events, most, patienceMillis) => {
        const steps = events.map(handlerOf)
        const stepAt = (i: number) => steps[Math.min(i, steps.length - 1)]!
        const made = await attempts(calls[replay], inOrder(...steps.map(({ handler }) => handler)), {
          retry: { retries: most, patienceMillis }
        }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
        expect(made.count).toBeLessThanOrEqual(most + 1)
        expect(made.waits.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(patienceMillis)
        expect(new Set(made.keys).size).toBe(1)
        made.waits.forEach((wait, i) => {
          expect(wait).toBeGreaterThanOrEqual(stepAt(i).after * 1_000)
          if (replay === "create") expect(stepAt(i).proven).toBe(true)
        })
        if (made.result._tag === "Failure" && replay !== "free" && made.result.failure.outcome === "not executed") {
          for (let i = 0; i < made.count; i++) expect(stepAt(i).proven).toBe(true)
        }
      }
    ),
    { numRuns: 200 }
  )
})
