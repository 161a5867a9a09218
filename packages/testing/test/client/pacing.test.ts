import { countOf, isAll } from "@tollgate-tooling/programs/counts.ts"
import { describe, expect, it } from "@effect/vitest"
import {
  chatCompletions,
  chatCompletionsStream,
  Client,
  deepResearch,
  type Options,
  Policy,
  quote,
  rerank
} from "@tollgate/client"
import * as HttpCarrier from "@tollgate/contract/carrier/HttpCarrier"
import { Carrier, type Incoming, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import { micro } from "@tollgate/contract/Money"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as RateLimits from "@tollgate/contract/RateLimits"
import type { Allowance } from "@tollgate/contract/Tier"
import { estimateTokens } from "@tollgate/contract/price/tokens"
import { chatCompletions as operation } from "@tollgate/contract/operations/chatCompletions"
import { type Demand, KeyLimits } from "@tollgate/gateway/limits/KeyLimits"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { bindings, priced } from "@tollgate/testing/models"

const question = { query: "which?", documents: ["one"] } as const
const messages = [{ role: "user" as const, content: "Why do rivers bend?" }]

describe("a burst of calls to a gateway with limits", () => {
  /** A client, and the statuses of its answers. */
  const clientOf = Effect.fnUntraced(function* (options: Partial<Options>) {
    const { baseUrl, http } = yield* Host
    const statuses: Array<number> = []
    const open = new Set<symbol>()
    const noting = HttpClient.transform(http, (effect) =>
      Effect.suspend(() => {
        const one = Symbol()
        open.add(one)
        return effect.pipe(
          Effect.tap(({ status }) => Effect.sync(() => statuses.push(status))),
          Effect.ensuring(Effect.sync(() => open.delete(one)))
        )
      })
    )
    const layer = Client.layer({ credential: key, baseUrl, bindings, ...options }).pipe(
      Layer.provide(HttpCarrier.layer),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, noting))
    )
    return { layer, open, statuses, refused: () => statuses.filter((status) => status === 429).length }
  })

  const layer = Host.layerInProcess.pipe(
    Layer.provideMerge(TestGateway.layer({ limits: true, sandbox: "all", bindings, operations: priced }))
  )

  /** The gateway's digests and commits take real time, during which the test clock does not move. */
  const run = Effect.fnUntraced(function* <A, E>(
    { layer, open }: Effect.Success<ReturnType<typeof clientOf>>,
    calls: ReadonlyArray<Effect.Effect<A, E, Client>>
  ) {
    const all = Effect.forEach(calls, Effect.result, { concurrency: "unbounded" }).pipe(Effect.provide(layer))
    const fiber = yield* Effect.forkChild(all, { startImmediately: true })
    while (fiber.pollUnsafe() === undefined) {
      do yield* TestClock.withLive(Effect.sleep(1))
      while (open.size > 0)
      yield* TestClock.adjust("250 millis")
    }
    const results = yield* Fiber.join(fiber)
    return results.filter(({ _tag }) => _tag === "Success").length
  })

  const waiting = { patienceMillis: Infinity }
  const many = <A>(count: number, make: () => A): Array<A> => Array.from({ length: count }, make)

  it.effect("is refused often without pacing, and never with it", () =>
    Effect.gen(function* () {
      const calls = many(150, () => rerank(question))
      const hasty = yield* clientOf({ pace: false, retry: Policy.none })
      expect(yield* run(hasty, calls)).toBe(60)
      expect(hasty.refused()).toBe(90)
      yield* TestClock.adjust("1 minute")
      const paced = yield* clientOf({ pace: { tier: "Free", ...waiting }, retry: Policy.none })
      expect(yield* run(paced, calls)).toBe(150)
      expect(paced.refused()).toBe(0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("learns the limits from the first answer", () =>
    Effect.gen(function* () {
      const paced = yield* clientOf({ pace: waiting, retry: Policy.none })
      expect(yield* run(paced, [rerank(question)])).toBe(1)
      expect(
        yield* run(
          paced,
          many(150, () => rerank(question))
        )
      ).toBe(150)
      expect(paced.refused()).toBe(0)
    }).pipe(Effect.provide(layer))
  )

  const body = { model: "sandbox", messages, max_tokens: 100 }
  const bursts = {
    reranks: () => rerank(question),
    chats: () => chatCompletions(body),
    streams: () => Stream.runDrain(chatCompletionsStream(body)),
    "calls of all kinds": (index: number) =>
      [rerank(question), chatCompletions(body), Stream.runDrain(chatCompletionsStream(body))][index % 3]!
  } satisfies Record<string, (index: number) => Effect.Effect<unknown, unknown, Client>>

  /** Makes 75 calls at once on a new key, and returns how long they took. On a clock of its own, so that no limits are known. */
  const burst = Effect.fnUntraced(
    function* (
      make: (index: number) => Effect.Effect<unknown, unknown, Client>,
      tier: "Free" | "Growth",
      options: Partial<Options>
    ) {
      const { account, accounts } = yield* TestGateway
      yield* accounts.topUp(account, micro(900_000_000n), "granted")
      yield* accounts.change(account, { tier })
      const client = yield* clientOf(options)
      const startedAt = yield* Clock.currentTimeMillis
      const all = Array.from({ length: 75 }, (_, i) => make(i))
      expect(yield* run(client, all)).toBe(75)
      expect(client.statuses).toEqual(many(75, () => 200))
      return (yield* Clock.currentTimeMillis) - startedAt
    },
    Effect.provide(Layer.provideMerge(layer, TestClock.layer()), { local: true })
  )

  // Each kind alone takes long, so that is for `pnpm test:all`.
  for (const [what, make] of Object.entries(bursts).slice(isAll ? 0 : -1)) {
    for (const tier of ["Free", "Growth"] as const) {
      it.effect(
        `of 75 ${what} on a new ${tier} key is not refused, and takes little longer than with known limits`,
        () =>
          Effect.gen(function* () {
            const known = yield* burst(make, tier, { pace: { tier } })
            const unknown = yield* burst(make, tier, {})
            expect(unknown).toBeLessThan(known + 5_000)
          })
      )
    }
  }

  it.effect("of 75 chats without max_tokens on a new Free key waits for requests, not for reserved tokens", () =>
    Effect.gen(function* () {
      // 60 at once, then one each second.
      expect(yield* burst(() => chatCompletions({ model: "sandbox", messages }), "Free", {})).toBeLessThan(25_000)
    })
  )

  it.effect("of chats, searches, quotes and streams stays within all limits", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      yield* accounts.topUp(account, micro(100_000_000n), "paid")
      yield* accounts.change(account, { rpm: 20, tpm: 5_000, concurrency: 2 })
      const body = { model: "sandbox", messages, max_tokens: 300 }
      const calls = many(
        12,
        () =>
          [
            chatCompletions(body),
            rerank(question),
            deepResearch(body),
            quote(chatCompletions, body),
            Stream.runDrain(chatCompletionsStream(body)),
            Stream.runDrain(Stream.take(chatCompletionsStream(body), 1))
          ] as ReadonlyArray<Effect.Effect<unknown, unknown, Client>>
      ).flat()
      const pace = { rpm: 20, tpm: 5_000, concurrency: 2, ...waiting }
      const paced = yield* clientOf({ pace, retry: Policy.none, timeout: "1 hour" })
      expect(yield* run(paced, calls)).toBe(calls.length)
      expect([...new Set(paced.statuses)]).toEqual([200])
      yield* TestClock.adjust("1 minute")
      const hasty = yield* clientOf({ pace: false, retry: Policy.none })
      yield* run(hasty, calls)
      expect(hasty.refused()).toBeGreaterThan(calls.length / 2)
    }).pipe(Effect.provide(layer))
  )
})

describe("for any mix of calls and delays", () => {
  interface Asked {
    readonly what: "chat" | "search" | "rerank" | "quote"
    readonly at: number
    readonly tokens: number
    /** Of the estimated tokens. */
    readonly used: number
    readonly there: number
    readonly work: number
    readonly back: number
    readonly leaves: number | undefined
    readonly told: "nothing" | "limits" | "limits and time"
  }

  const millis = (max: number) => fc.integer({ min: 0, max })
  const asked: fc.Arbitrary<Asked> = fc.record({
    what: fc.constantFrom("chat", "search", "rerank", "quote"),
    at: fc.oneof(fc.constant(0), millis(120_000)),
    tokens: fc.integer({ min: 10, max: 1_500 }),
    used: fc.double({ min: 0, max: 1, noNaN: true }),
    there: millis(500),
    work: millis(20_000),
    back: millis(500),
    leaves: fc.option(millis(60_000), { nil: undefined, freq: 5 }),
    told: fc.constantFrom("nothing", "limits", "limits and time")
  })
  const allowed: fc.Arbitrary<Allowance> = fc.record({
    rpm: fc.integer({ min: 1, max: 40 }),
    tpm: fc.integer({ min: 200, max: 5_000 }),
    concurrency: fc.integer({ min: 1, max: 6 })
  })

  const alone: Demand = { concurrent: false }
  const demands: Record<Asked["what"], Demand> = {
    chat: { concurrent: true },
    search: { group: { id: "deep_research", rpm: 5 }, concurrent: true },
    rerank: alone,
    quote: alone
  }
  const countsTokens = (what: Asked["what"]): boolean => what === "chat" || what === "search"

  /** The gateway's limits, behind a simulated network with delays. */
  const network = (allowance: Allowance, all: ReadonlyArray<Asked>) => {
    const keyLimits = new KeyLimits(allowance, 0)
    const seen = { refusals: [] as Array<string>, left: [] as Array<number> }
    const carry = Effect.fnUntraced(function* (outgoing: Outgoing): Effect.fn.Return<Incoming> {
      const body: { readonly index: number } = JSON.parse(Utf8.decode(outgoing.body!))
      const { back, there, told, used, what, work } = all[body.index]!
      seen.left.push(body.index)
      yield* Effect.sleep(there)
      const tokens = estimateTokens(operation.price, body)
      const demand = demands[what]
      const now = yield* Clock.currentTimeMillis
      keyLimits.refill(allowance, now)
      const early = keyLimits.exceeded(demand, allowance, now)
      const lease = early === undefined ? keyLimits.acquire(demand, now) : undefined
      const exceeded = early ?? (countsTokens(what) ? keyLimits.exceededTokens(tokens, demand, now) : undefined)
      const taken = exceeded === undefined && countsTokens(what) ? keyLimits.takeTokens(tokens) : undefined
      if (exceeded !== undefined) seen.refusals.push(`${what} at ${now}: ${exceeded.limit}`)
      const limits = Object.entries(told === "nothing" ? {} : RateLimits.encode(keyLimits.headers(demand, now)))
      const give = (used: number | undefined) =>
        Effect.clockWith((clock) =>
          Effect.sync(() => {
            if (lease !== undefined) keyLimits.release(lease)
            if (taken !== undefined && used !== undefined) {
              keyLimits.correctTokens(taken, used, clock.currentTimeMillisUnsafe())
            }
          })
        )
      // The gateway sees the disconnect a little later.
      yield* Effect.sleep(work).pipe(Effect.onInterrupt(() => Effect.forkDetach(Effect.delay(give(undefined), 90))))
      yield* give(Math.floor(tokens * used))
      const date = new Date(yield* Clock.currentTimeMillis).toUTCString()
      yield* Effect.sleep(back)
      return {
        status: exceeded === undefined ? 200 : 429,
        headers: {
          ...Object.fromEntries(limits.map(([name, value]) => [name.toLowerCase(), value])),
          ...(told === "limits and time" ? { date } : {}),
          "content-type": "application/json"
        },
        body: Utf8.encode('{"model":"m","results":[],"choices":[],"usage":{"total_tokens":0}}')
      }
    })
    return { seen, carry }
  }

  const calls: Record<Asked["what"], (index: number, tokens: number) => Effect.Effect<unknown, unknown, Client>> = {
    chat: (index, tokens) => chatCompletions({ model: "", messages: [], max_tokens: tokens }, { extra: { index } }),
    search: (index, tokens) => deepResearch({ index, max_tokens: tokens }),
    rerank: (index) => rerank(question, { extra: { index } }),
    quote: (index, tokens) =>
      quote(chatCompletions, { model: "", messages: [], max_tokens: tokens }, { extra: { index } })
  }

  const simulate = Effect.fnUntraced(function* (allowance: Allowance, all: ReadonlyArray<Asked>) {
    const { carry, seen } = network(allowance, all)
    const pace = { ...allowance, patienceMillis: Infinity }
    const layer = Client.layer({ credential: key, bindings, pace, retry: Policy.none, timeout: "1 hour" }).pipe(
      Layer.provide(Layer.succeed(Carrier, { carry }))
    )
    const fibers = yield* Effect.forEach(all, ({ at, leaves, tokens, what }, n) => {
      const call = calls[what](n, tokens).pipe(Effect.exit, Effect.provide(layer))
      return Effect.forkChild(Effect.delay(Effect.timeoutOption(call, leaves ?? Infinity), at))
    })
    yield* TestClock.adjust("3 hours")
    for (const fiber of fibers) expect(fiber.pollUnsafe()).toBeDefined()
    return seen
  })

  const always = (check: (allowance: Allowance, all: ReadonlyArray<Asked>) => Effect.Effect<void>, numRuns: number) =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(allowed, fc.array(asked, { minLength: 1, maxLength: 40 }), (allowance, all) =>
          Effect.runPromise(Effect.provide(check(allowance, all), TestClock.layer()))
        ),
        { numRuns: countOf("PACE_HISTORIES", Math.ceil(numRuns / 4), numRuns) }
      )
    )

  it.live("a client that knows its limits is never refused, and every call is sent", () =>
    always(
      Effect.fnUntraced(function* (allowance, all) {
        const { left, refusals } = yield* simulate(allowance, all)
        expect(refusals).toEqual([])
        const stayed = all.flatMap(({ leaves }, n) => (leaves === undefined ? [n] : []))
        expect(stayed.filter((n) => !left.includes(n))).toEqual([])
      }),
      60
    )
  )

  it.live("calls of one kind are sent in order", () =>
    always(
      Effect.fnUntraced(function* (allowance, all) {
        const { left } = yield* simulate(allowance, all)
        for (const kind of ["chat", "search", "rerank", "quote"]) {
          const times = left.filter((n) => all[n]!.what === kind).map((n) => all[n]!.at)
          expect(times).toEqual(times.toSorted((a, b) => a - b))
        }
      }),
      30
    )
  )
})
