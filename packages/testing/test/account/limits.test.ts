import { describe, expect, it } from "@effect/vitest"
import { headerNames } from "@tollgate/contract/RateLimits"
import { operations } from "@tollgate/contract/operations"
import { rerank as rerankOperation } from "@tollgate/contract/operations/rerank"
import * as limits from "@tollgate/contract/limits"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { ask, type Answer, question } from "@tollgate/testing/ask"

type Options = NonNullable<Parameters<typeof TestGateway.layer>[0]>

const layer = (options: Options = {}) =>
  Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer({ limits: true, ...options })))

const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>, options?: Options) =>
  it.effect(name, () => Effect.provide(effect(), layer(options)))

const as = (credential: string) => ({ authorization: `Bearer ${credential}` })
const bearer = as(key)
const quoting = { "x-tollgate-cost-mode": "quote" }

const rerank = (headers: Readonly<Record<string, string>> = {}) =>
  ask("POST", "/v1/rerank", { ...bearer, ...headers }, question)

const times = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: count }), () => effect)

const statuses = (answers: ReadonlyArray<Answer>) => [...new Set(answers.map(({ status }) => status))]

const limitsOf = ({ headers }: Answer) =>
  Object.values(headerNames).map((name) => {
    const value = headers[name.toLowerCase()]
    return value === undefined ? undefined : Number(value)
  })
const free = (requests: number, reset: number) => [60, requests, reset, 60_000, 60_000, 0]

describe("the 61st request of a Free key in a minute", () => {
  const routes = [
    ["openai", "POST", "/v1/rerank"],
    ["anthropic", "POST", "/v1/messages"],
    ["gemini", "POST", "/v1beta/models/m:generateContent"],
    ["task", "GET", "/apis/v1/services/aigc/tasks/t"],
    ["usage", "GET", "/v1/usage?start_time=1"],
    ["data", "GET", "/apis/v1/reseller/social_b/v2/fetch_user_stories"]
  ] as const

  test("gets 429 in the shape of each error family, with all limit headers", () =>
    Effect.gen(function* () {
      const before = yield* times(60, rerank())
      expect(statuses(before)).toEqual([200])
      expect(limitsOf(before[0]!)).toEqual(free(59, 1))
      expect(limitsOf(before[59]!)).toEqual(free(0, 60))
      for (const [family, method, path] of routes) {
        const answer = yield* ask(method, path, bearer, method === "POST" ? question : undefined)
        expect([answer.status, answer.headers["retry-after"]], family).toEqual([429, "1"])
        expect(limitsOf(answer), family).toEqual(free(0, 60))
        const message = "The key's limit of 60 requests per minute is reached; slow down."
        const error = { type: "rate_limit_error", message }
        const code = "rate_limit_exceeded"
        expect(answer.json(), family).toMatchObject(
          family === "gemini" ? { error, code } : { error: { ...error, code } }
        )
      }
    }))

  test("is admitted after Retry-After", () =>
    Effect.gen(function* () {
      yield* times(60, rerank())
      const refused = yield* rerank()
      expect(refused.status).toBe(429)
      yield* TestClock.adjust(Number(refused.headers["retry-after"]) * 1_000)
      expect((yield* rerank()).status).toBe(200)
      expect((yield* rerank()).status).toBe(429)
    }))

  test("does not count for another key of the account", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const other = yield* accounts.createKey(account, { label: "other" })
      yield* times(60, rerank())
      expect((yield* rerank()).status).toBe(429)
      const answer = yield* rerank(as(Redacted.value(other.value)))
      expect([answer.status, limitsOf(answer)]).toEqual([200, free(59, 1)])
    }))

  test("is admitted as soon as the account's tier allows 600", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      yield* times(60, rerank())
      yield* accounts.change(account, { tier: "Starter" })
      yield* TestClock.adjust("1 second")
      const answer = yield* rerank()
      expect([answer.status, limitsOf(answer)]).toEqual([200, [600, 540, 7, 600_000, 600_000, 1]])
    }))

  test("is not billed and does not reach the upstream", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      yield* times(60, rerank())
      const { balance } = yield* accounts.get(account)
      yield* times(20, rerank())
      expect(yield* accounts.get(account)).toMatchObject({ balance, reserved: 0n })
    }))
})

describe("what counts towards the request limit", () => {
  test("a quote counts", () =>
    Effect.gen(function* () {
      expect(statuses(yield* times(60, rerank(quoting)))).toEqual([200])
      expect((yield* rerank(quoting)).status).toBe(429)
      expect((yield* rerank()).status).toBe(429)
    }))

  test("an invalid request, an unknown path and a wrong method count", () =>
    Effect.gen(function* () {
      const wrong = [
        ask("POST", "/v1/rerank", bearer, "{"),
        ask("GET", "/v1/nothing", bearer),
        ask("DELETE", "/v1/rerank", bearer)
      ]
      for (const [i, status] of [400, 404, 405].entries()) {
        const answers = yield* times(20, wrong[i]!)
        expect(statuses(answers)).toEqual([status])
        expect(limitsOf(answers[19]!)).toEqual(free(60 - 20 * (i + 1), 20 * (i + 1)))
      }
      for (const request of [...wrong, rerank()]) {
        const answer = yield* request
        expect([answer.status, answer.headers["retry-after"], limitsOf(answer)]).toEqual([429, "1", free(0, 60)])
      }
    }))

  test("a request without a valid credential does not count and gets no limit headers", () =>
    Effect.gen(function* () {
      for (const request of [
        ask("GET", "/api/contracts/version"),
        ask("GET", "/api/contracts/version", bearer),
        ask("POST", "/v1/rerank", {}, question),
        ask("POST", "/v1/rerank", as("nobody"), question)
      ]) {
        const answers = yield* times(70, request)
        expect(statuses(answers)).not.toContain(429)
        for (const answer of answers) expect(limitsOf(answer)).toEqual(Array(6).fill(undefined))
      }
      expect(limitsOf(yield* rerank())).toEqual(free(59, 1))
    }))
})

test("refusals after admission carry the limit headers too", () =>
  Effect.gen(function* () {
    const long = JSON.stringify({ query: "q", documents: ["word ".repeat(1_000)] })
    const capped = yield* ask("POST", "/v1/rerank", { ...bearer, "x-tollgate-max-price-usd": "0" }, long)
    expect([capped.status, limitsOf(capped)]).toEqual([402, free(59, 1)])
    const unpriced = yield* ask("POST", "/v1/messages", bearer, "{}")
    expect(unpriced.status).toBe(503)
    expect(limitsOf(unpriced)).toEqual(free(58, 2))
    const broken = yield* rerank({ "x-tollgate-scenario": "reset" })
    expect(broken.status).toBeGreaterThanOrEqual(500)
    expect(limitsOf(broken)).toEqual(free(57, 3))
  }))

describe("deep research", () => {
  const options: Options = { bindings: { "deep_research.search": { path: "/v1/deep-research" } } }
  const search = ask("POST", "/v1/deep-research", bearer, JSON.stringify({ max_tokens: 100 }))

  test(
    "is limited to five requests a minute; the sixth takes nothing from other limits",
    () =>
      Effect.gen(function* () {
        const answers = yield* times(5, search)
        expect(statuses(answers)).toEqual([503])
        expect(limitsOf(answers[4]!).slice(0, 3)).toEqual([5, 0, 60])
        const sixth = yield* search
        expect([sixth.status, sixth.headers["retry-after"]]).toEqual([429, "12"])
        expect(sixth.text).toContain("5 requests per minute to deep_research")
        expect(limitsOf(sixth).slice(0, 3)).toEqual([5, 0, 60])
        expect(limitsOf(yield* rerank())).toEqual(free(54, 6))
        yield* TestClock.adjust("12 seconds")
        expect(statuses(yield* times(2, search))).toEqual([503, 429])
      }),
    options
  )
})

describe("tokens", () => {
  test("of a call that was not sent are given back, and so is its place", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      yield* accounts.change(account, { concurrency: 1, tpm: 5_000 })
      const message = ask("POST", "/v1/messages", bearer, JSON.stringify({ max_tokens: 4_000 }))
      expect(statuses(yield* times(10, message))).toEqual([503])
    }))

  const counting = operations.map((operation) =>
    operation.id === rerankOperation.id ? { ...operation, limit: limits.inference } : operation
  )
  const remaining = (answer: Answer) => limitsOf(answer)[4]

  test(
    "count as the answer reports them, or as estimated when it reports none",
    () =>
      Effect.gen(function* () {
        const body = JSON.stringify({ query: "which?", documents: ["one word, ".repeat(200)] })
        const call = (headers = {}) => ask("POST", "/v1/rerank", { ...bearer, ...headers }, body)
        const estimate = Math.ceil((6 + 2_000) / 4)
        const answer = yield* call()
        expect([answer.status, remaining(answer)]).toEqual([200, 60_000 - estimate])
        const { usage } = answer.json() as { readonly usage: { readonly total_tokens: number } }
        expect(usage.total_tokens).not.toBe(estimate)
        expect(remaining(yield* rerank(quoting))).toBe(60_000 - usage.total_tokens)
        yield* call({ "x-tollgate-scenario": "no-usage" })
        expect(remaining(yield* rerank(quoting))).toBe(60_000 - usage.total_tokens - estimate)
        yield* call({ "x-tollgate-scenario": "status; code=500" })
        expect(remaining(yield* rerank(quoting))).toBe(60_000 - usage.total_tokens - estimate)
      }),
    { operations: counting }
  )
})

test("keys rotate: the old and the new key share one request limit", () =>
  Effect.gen(function* () {
    const { account, accounts } = yield* TestGateway
    const [old] = yield* accounts.listKeys(account)
    const made = yield* accounts.rotateKey(old!.id, 86_400_000)
    const successor = as(Redacted.value(made.value))
    expect(statuses(yield* times(30, rerank()))).toEqual([200])
    expect(statuses(yield* times(30, rerank(successor)))).toEqual([200])
    expect((yield* rerank()).status).toBe(429)
    expect((yield* rerank(successor)).status).toBe(429)
    const other = yield* accounts.createKey(account, {})
    expect((yield* rerank(as(Redacted.value(other.value)))).status).toBe(200)
  }))
