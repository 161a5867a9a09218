import { describe, expect, it } from "@effect/vitest"
import { defaults } from "@tollgate/contract/Names"
import { BillingLog, Scenario } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fc from "fast-check"
import * as TestClock from "effect/testing/TestClock"
import { ask, question } from "./ask.ts"

describe("a scenario's text", () => {
  it.each<[string, Scenario.Scenario]>([
    ["", { kind: "none" }],
    ["nonsense", { kind: "none" }],
    ["SLOW", { kind: "none" }],
    ["slowly", { kind: "none" }],
    [";slow", { kind: "none" }],
    ["__proto__", { kind: "none" }],
    ["slow", { kind: "slow", ms: 1000 }],
    [" slow ; ms=5 ", { kind: "slow", ms: 5 }],
    ["slow;ms=0", { kind: "slow", ms: 0 }],
    ["slow; ms=60000", { kind: "slow", ms: 60_000 }],
    ["slow; ms=999999", { kind: "slow", ms: 60_000 }],
    ["slow; ms=-5", { kind: "slow", ms: 1000 }],
    ["slow; ms=1e3", { kind: "slow", ms: 1000 }],
    ["slow; ms=NaN", { kind: "slow", ms: 1000 }],
    ["slow; ms=", { kind: "slow", ms: 1000 }],
    ["slow; ms", { kind: "slow", ms: 1000 }],
    ["slow; =5; ;;", { kind: "slow", ms: 1000 }],
    ["slow; ms=1000000", { kind: "slow", ms: 60_000 }],
    ["stall", { kind: "stall" }],
    ["stall; ms=5", { kind: "stall" }],
    ["reset", { kind: "reset" }],
    ["html", { kind: "html" }],
    ["truncated", { kind: "truncated" }],
    ["no-usage", { kind: "no-usage" }],
    ["status", { kind: "status", status: 500 }],
    ["status; code=429; after=7", { kind: "status", status: 429, after: 7 }],
    ["status; after=0", { kind: "status", status: 500, after: 0 }],
    ["status; code=200", { kind: "status", status: 400 }],
    ["status; code=999", { kind: "status", status: 599 }],
    ["status; code=4x9", { kind: "status", status: 500 }],
    ["stall; after=3", { kind: "stall", after: 3 }],
    ["reset; after=0", { kind: "reset", after: 0 }],
    ["truncated; after=x", { kind: "truncated" }],
    ["stream-error", { kind: "stream-error" }],
    ["stream-error; after=2", { kind: "stream-error", after: 2 }],
    ["garbage; after=9999999", { kind: "garbage", after: 100_000 }],
    ["interval", { kind: "interval", ms: 100 }],
    ["interval; ms=70000", { kind: "interval", ms: 60_000 }],
    ["long", { kind: "long", events: 1_000 }],
    ["long; events=0", { kind: "long", events: 1 }],
    ["long; events=1000000", { kind: "long", events: 100_000 }],
    ["cached; tokens=12", { kind: "cached", tokens: 12 }],
    ["cached", { kind: "cached", tokens: 1_000 }]
  ])("%j", (text, expected) => expect(Scenario.parse(text)).toEqual(expected))

  it("any text is parsed, and numbers stay within bounds", () => {
    const part = fc.oneof(
      fc.string(),
      fc.tuple(fc.constantFrom("ms", "code", "after", "events", "tokens"), fc.string()).map((pair) => pair.join("="))
    )
    fc.assert(
      fc.property(fc.constantFrom("", ...Scenario.kinds), fc.array(part), (kind, parts) => {
        const scenario = Scenario.parse([kind, ...parts].join(";"))
        expect(["none", ...Scenario.kinds]).toContain(scenario.kind)
        if (scenario.kind === "slow") expect(scenario.ms >= 0 && scenario.ms <= 60_000).toBe(true)
        if (scenario.kind === "long") expect(scenario.events >= 1 && scenario.events <= 100_000).toBe(true)
        if (scenario.kind === "status") expect(scenario.status >= 400 && scenario.status <= 599).toBe(true)
      })
    )
  })
})

const withBillingLog = <A, E>(effect: Effect.Effect<A, E, BillingLog>) =>
  Effect.provide(effect, BillingLog.layerMemory())
const scenario = (text: string) => ask(question, { "x-tollgate-scenario": text })

describe("scenarios", () => {
  it.effect("none answers and bills", () =>
    withBillingLog(
      Effect.gen(function* () {
        const answer = yield* ask(question)
        const total = (JSON.parse(answer.text) as { usage: { total_tokens: number } }).usage.total_tokens
        expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/json"])
        expect(yield* (yield* BillingLog).entries).toEqual([
          { operation: "rerank", billed: { tokens: total }, number: 1 }
        ])
      })
    )
  )

  it.effect("slow answers after the delay and not before", () =>
    withBillingLog(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(scenario("slow; ms=2000"))
        yield* TestClock.adjust("1999 millis")
        expect(fiber.pollUnsafe()).toBeUndefined()
        expect(yield* (yield* BillingLog).count).toBe(0)
        yield* TestClock.adjust("1 millis")
        expect((yield* Fiber.join(fiber)).status).toBe(200)
        expect(yield* (yield* BillingLog).count).toBe(1)
      })
    )
  )

  it.effect("stall never answers, and ends when the caller disconnects", () =>
    withBillingLog(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(scenario("stall"))
        yield* TestClock.adjust("1 days")
        expect(fiber.pollUnsafe()).toBeUndefined()
        yield* Fiber.interrupt(fiber)
        expect(yield* (yield* BillingLog).count).toBe(0)
      })
    )
  )

  it.effect("status answers with the status and Retry-After, and bills nothing", () =>
    withBillingLog(
      Effect.gen(function* () {
        const answer = yield* scenario("status; code=418; after=9")
        expect([answer.status, answer.headers["retry-after"]]).toEqual([418, "9"])
        expect((yield* scenario("status")).headers).not.toHaveProperty("retry-after")
        expect(yield* (yield* BillingLog).count).toBe(0)
      })
    )
  )

  it.effect("html sends a page and bills nothing", () =>
    withBillingLog(
      Effect.gen(function* () {
        const answer = yield* scenario("html")
        expect([answer.status, answer.text]).toEqual([200, "<html>Welcome</html>"])
        expect(answer.headers["content-type"]).toContain("text/html")
        expect(yield* (yield* BillingLog).count).toBe(0)
      })
    )
  )

  it.effect("reset bills and breaks the connection", () =>
    withBillingLog(
      Effect.gen(function* () {
        expect(yield* Effect.exit(scenario("reset"))).toMatchObject({ _tag: "Failure" })
        expect(yield* (yield* BillingLog).count).toBe(1)
      })
    )
  )

  it.effect("truncated bills and sends half of the JSON", () =>
    withBillingLog(
      Effect.gen(function* () {
        const whole = yield* ask(question)
        const half = yield* scenario("truncated")
        expect(half.text).toBe(whole.text.slice(0, whole.text.length / 2))
        expect(() => JSON.parse(half.text)).toThrow()
        expect(yield* (yield* BillingLog).count).toBe(2)
      })
    )
  )

  it.effect("no-usage bills and omits the usage", () =>
    withBillingLog(
      Effect.gen(function* () {
        const answer = JSON.parse((yield* scenario("no-usage")).text) as Record<string, unknown>
        expect(answer).not.toHaveProperty("usage")
        expect(answer).toHaveProperty("results")
        expect(yield* (yield* BillingLog).count).toBe(1)
      })
    )
  )

  it.effect("the header contains the configured provider's name", () =>
    withBillingLog(
      Effect.gen(function* () {
        const names = { ...defaults, provider: "Acme" }
        expect((yield* ask(question, { "x-acme-scenario": "html" }, { names })).text).toContain("html")
        expect((yield* ask(question, { "x-tollgate-scenario": "html" }, { names })).text).not.toContain("html")
      })
    )
  )

  it.effect("invalid input is refused and not billed", () =>
    withBillingLog(
      Effect.gen(function* () {
        for (const body of [
          "",
          "{",
          "null",
          "[]",
          "{}",
          `{"query":"","documents":["a"]}`,
          `{"query":"a","documents":[]}`
        ]) {
          expect((yield* ask(body)).status, body).toBe(400)
        }
        expect((yield* ask(question, {}, { path: "/v1/none" })).status).toBe(404)
        expect((yield* ask(question, {}, { path: "/__proto__" })).status).toBe(404)
        expect((yield* ask(question, {}, { method: "GET" })).status).toBe(404)
        expect((yield* ask(question, {}, { path: "/v1/rerank?a=b" })).status).toBe(200)
        expect(yield* (yield* BillingLog).count).toBe(1)
      })
    )
  )
})
