import { describe, expect, it } from "@effect/vitest"
import type { Operation } from "@tollgate/contract/Operation"
import type { CacheTerms } from "@tollgate/contract/price/contracts"
import { Audit } from "@tollgate/gateway"
import { AnswerCacheBytes } from "@tollgate/gateway/cache/AnswerCache"
import { Host, key, TestGateway } from "@tollgate/testing"
import type { Options } from "@tollgate/testing/TestGateway"
import { ask } from "@tollgate/testing/ask"
import { calls, priced, streams } from "@tollgate/testing/models"
import { recorded } from "@tollgate/testing/observe/Recorded"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const kept = ["rerank", "chat.completions", "messages", "{reseller}.{social_c}.tag_detail"]

const operationsWith = (terms: CacheTerms): ReadonlyArray<Operation> =>
  priced.map((operation) => (kept.includes(operation.id) ? { ...operation, kept: terms } : operation))

const free: ReadonlyArray<Operation> = priced.map((operation) => ({
  ...operation,
  price: { contract: "free" },
  kept: { seconds: 60, share: 0n }
}))

const gateway = (terms: Partial<CacheTerms> = {}, options: Options = {}) =>
  Host.layerInProcess.pipe(
    Layer.provideMerge(
      TestGateway.layer({
        operations: operationsWith({ seconds: 60, share: 100_000n, ...terms }),
        sandbox: "all",
        ...options
      })
    )
  )

const bearer = { authorization: `Bearer ${key}` }
const use = { "x-tollgate-cache": "use" }
/** 10,004 tokens or so, so that a tenth of the price is not zero. */
const question = JSON.stringify({ query: "q", documents: ["a", "river ".repeat(10_000)] })
const rerank = (headers: Readonly<Record<string, string>> = use, body = question, path = "/v1/rerank") =>
  ask("POST", path, { ...bearer, ...headers }, body)
const cacheOf = ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
  headers["x-tollgate-cache"]
const costOf = ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
  Number(headers["x-tollgate-cost-micros-usd"])
const executed = Effect.flatMap(TestGateway, ({ billingLog }) => billingLog.count)

describe("a kept answer", () => {
  it.effect("is sent again for a tenth of the price, with its age, without a call to the upstream", () =>
    Effect.gen(function* () {
      const first = yield* rerank()
      expect([first.status, cacheOf(first)]).toEqual([200, "miss"])
      yield* TestClock.adjust("12500 millis")
      const second = yield* rerank()
      expect([second.status, cacheOf(second), second.text]).toEqual([200, "hit; age=12", first.text])
      expect(second.headers["content-type"]).toBe(first.headers["content-type"])
      expect(costOf(first)).toBeGreaterThan(10)
      expect(Math.abs(costOf(second) * 10 - costOf(first))).toBeLessThanOrEqual(5)
      expect(yield* executed).toBe(1)
      const { sql } = yield* TestGateway
      const [, hit] = yield* sql<{ readonly evidence: string }>`
        SELECT state, reserved, charged, input_tokens, upstream, evidence FROM calls WHERE owner <> '' ORDER BY created_at`
      expect(hit).toMatchObject({
        state: "settled",
        reserved: costOf(second),
        charged: costOf(second),
        input_tokens: 0
      })
      expect(JSON.parse(hit?.evidence ?? "")).toMatchObject({
        kind: "kept",
        call: first.headers["x-request-id"],
        share: "100000",
        age: 12,
        of: { kind: "tokens" }
      })
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("is not used if the caller does not ask, and an answer that nobody asked to keep is not kept", () =>
    Effect.gen(function* () {
      expect(cacheOf(yield* rerank({}))).toBeUndefined()
      expect(cacheOf(yield* rerank())).toBe("miss")
      expect(cacheOf(yield* rerank({}))).toBeUndefined()
      expect(yield* executed).toBe(3)
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("ends after its lifetime, and earlier for a caller who wants a newer one", () =>
    Effect.gen(function* () {
      const newer = (seconds: number) => rerank({ "x-tollgate-cache": `use; max-age=${seconds}` })
      yield* rerank()
      yield* TestClock.adjust("30 seconds")
      expect(cacheOf(yield* newer(30))).toBe("hit; age=30")
      expect(cacheOf(yield* newer(29))).toBe("miss")
      yield* TestClock.adjust("59999 millis")
      expect(cacheOf(yield* rerank())).toBe("hit; age=59")
      yield* TestClock.adjust("1 millis")
      expect(cacheOf(yield* rerank())).toBe("miss")
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("is replaced by a caller who refreshes it", () =>
    Effect.gen(function* () {
      yield* rerank()
      yield* TestClock.adjust("40 seconds")
      expect(cacheOf(yield* rerank({ "x-tollgate-cache": "refresh" }))).toBe("miss")
      yield* TestClock.adjust("40 seconds")
      expect(cacheOf(yield* rerank())).toBe("hit; age=40")
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("is for its account only, with any of its keys", () =>
    Effect.gen(function* () {
      yield* rerank()
      const { account, accounts } = yield* TestGateway
      const as = Effect.fnUntraced(function* (owner: string) {
        const { value } = yield* accounts.createKey(owner, {})
        return cacheOf(yield* rerank({ ...use, authorization: `Bearer ${Redacted.value(value)}` }))
      })
      const other = (yield* accounts.create("another")).id
      expect([yield* as(account), yield* as(other), yield* as(other)]).toEqual(["hit; age=0", "miss", "hit; age=0"])
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("is for the same bytes only: body, query and headers that an upstream gets", () =>
    Effect.gen(function* () {
      yield* rerank()
      const others = [
        rerank(use, ` ${question}`),
        rerank(use, question, "/v1/rerank?a=1&b=2"),
        rerank(use, question, "/v1/rerank?b=2&a=1"),
        rerank({ ...use, "anthropic-beta": "x" }),
        rerank({ ...use, "x-tollgate-scenario": "latency; ms=0" })
      ]
      for (const other of others) expect(cacheOf(yield* other)).toBe("miss")
      // These reach no upstream.
      const same = { ...use, "user-agent": "x", "x-tollgate-tags": "team=a", traceparent: "x", "x-other": "y" }
      expect(cacheOf(yield* rerank(same))).toBe("hit; age=0")
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("is refused with 400 if the header is malformed, and nothing is executed", () =>
    Effect.gen(function* () {
      const age = (text: string) => `use; max-age=${text}`
      const ages = ["", "-1", "1.5", "1e9", "99999999999", "0x10", "60; x", "\u0661", "1".repeat(5_000)].map(age)
      for (const value of ["", "on", "USE", "use, use", "refresh; max-age=1", ...ages]) {
        const answer = yield* rerank({ "x-tollgate-cache": value })
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("X-Tollgate-Cache must be use")])
      }
      expect(yield* executed).toBe(0)
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("is not made of an operation that the operator did not allow", () =>
    Effect.gen(function* () {
      const ask_ = () => ask("GET", "/apis/v1/social_a/tweet/quotes?tweetId=1", { ...bearer, ...use })
      const answers = [yield* ask_(), yield* ask_()]
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(answers.map(cacheOf)).toEqual([undefined, undefined])
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("is not made of failures and streams", () =>
    Effect.gen(function* () {
      const failing = { ...use, "x-tollgate-scenario": "status; code=500" }
      expect([(yield* rerank(failing)).status, cacheOf(yield* rerank(failing))]).toEqual([500, "miss"])
      const { body, path } = streams.openai
      for (let i = 0; i < 2; i++) {
        const answer = yield* ask("POST", path, { ...bearer, ...use }, body("hello"))
        expect([answer.status, cacheOf(answer), answer.text]).toEqual([200, "miss", expect.stringContaining("[DONE]")])
      }
      const { sql } = yield* TestGateway
      expect(yield* sql`SELECT id FROM answer_cache`).toEqual([])
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("is not made of an envelope whose code tells of a failure", () =>
    Effect.gen(function* () {
      const tag = (name: string) =>
        ask("GET", `/apis/v1/reseller/social_c/web/fetch_tag_detail?tag_name=${name}`, { ...bearer, ...use })
      const tooLong = "x".repeat(3_000)
      const answers = [yield* tag("a"), yield* tag("a"), yield* tag(tooLong), yield* tag(tooLong)]
      expect(answers.map(cacheOf)).toEqual(["miss", "hit; age=0", "miss", "miss"])
      expect(answers[1]?.text).toBe(answers[0]?.text)
      expect([answers[2]?.status, answers[2]?.json()]).toMatchObject([200, { code: 400 }])
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("is not made of an answer that the caller's cap cut short", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ model: "sandbox", messages: [{ role: "user", content: "hello" }] })
      const chat = (headers = {}) => ask("POST", streams.openai.path, { ...bearer, ...use, ...headers }, body)
      const capped = { "x-tollgate-max-price-usd": "0.001" }
      expect([cacheOf(yield* chat(capped)), cacheOf(yield* chat()), cacheOf(yield* chat(capped))]).toEqual([
        "miss",
        "miss",
        "hit; age=0"
      ])
    }).pipe(Effect.provide(gateway()))
  )
})

describe("what a kept answer costs", () => {
  it.effect("nothing, if the operator says so, also on an empty balance", () =>
    Effect.gen(function* () {
      const { account, accounts, sql } = yield* TestGateway
      const first = yield* rerank()
      const [row] = yield* sql<{ readonly balance: number }>`SELECT balance FROM accounts WHERE id = ${account}`
      yield* accounts.adjust(account, -BigInt(row?.balance ?? 0), "")
      yield* TestClock.adjust("2 seconds")
      const hit = yield* rerank()
      expect([hit.status, cacheOf(hit), costOf(hit), hit.text]).toEqual([200, "hit; age=2", 0, first.text])
      expect((yield* rerank({})).status).toBe(402)
      expect((yield* rerank({ "x-tollgate-cache": "refresh" })).status).toBe(402)
      expect((yield* calls).map(({ charged, state }) => [state, charged])).toEqual([
        ["settled", costOf(first)],
        ["settled", 0]
      ])
    }).pipe(Effect.provide(gateway({ share: 0n })))
  )

  it.effect("is within the caller's cap, or the call is refused", () =>
    Effect.gen(function* () {
      const first = yield* rerank()
      const price = Math.round(costOf(first) / 10)
      const capped = (micros: number) => rerank({ ...use, "x-tollgate-max-price-usd": (micros / 1e6).toFixed(6) })
      expect([cacheOf(yield* capped(price)), (yield* capped(price - 1)).status]).toEqual(["hit; age=0", 402])
      expect(yield* executed).toBe(1)
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("is what the account's multiplier makes of it now", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const first = yield* rerank()
      yield* accounts.change(account, { multiplier: 3_000_000n })
      yield* TestClock.adjust("5 seconds")
      const hit = yield* rerank()
      expect(Math.abs(costOf(hit) * 10 - 3 * costOf(first))).toBeLessThanOrEqual(15)
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("is charged once under an idempotency key", () =>
    Effect.gen(function* () {
      yield* rerank()
      const keyed = { ...use, "idempotency-key": "k", "x-tollgate-idempotency-mode": "replay" }
      const hit = yield* rerank(keyed)
      const again = yield* rerank(keyed)
      expect([cacheOf(hit), again.headers["idempotent-replayed"], again.text]).toEqual(["hit; age=0", "true", hit.text])
      expect((yield* calls).map(({ state }) => state)).toEqual(["settled", "settled", "replayed"])
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("is not in a quote, which is of the call itself", () =>
    Effect.gen(function* () {
      yield* rerank()
      const quote = yield* rerank({ ...use, "x-tollgate-cost-mode": "quote" })
      const without = yield* rerank({ "x-tollgate-cost-mode": "quote" })
      const amount = (answer: typeof quote) => (answer.json() as { max_micros_usd: number }).max_micros_usd
      expect([quote.status, cacheOf(quote), amount(quote)]).toEqual([200, undefined, amount(without)])
    }).pipe(Effect.provide(gateway()))
  )
})

describe("kept answers", () => {
  it.effect("are shown as kept in the log of calls and to listeners", () => {
    const log = recorded()
    return Effect.gen(function* () {
      yield* rerank()
      yield* rerank()
      const page = yield* ask("GET", "/account/v1/calls", bearer)
      const shown = (page.json() as { calls: ReadonlyArray<{ kept: boolean }> }).calls.map((call) => call.kept)
      expect(shown.toSorted()).toEqual([false, true])
      yield* log.next(2)
      expect(log.events.map((event) => [event.kept, event.upstream])).toEqual([
        [false, "sandbox"],
        [true, undefined]
      ])
    }).pipe(Effect.provide(Layer.provide(gateway(), log.layer)))
  })

  it.effect("need requests of the limits, and no tokens", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      yield* accounts.change(account, { tpm: 3_000 })
      const message = { role: "user", content: "river ".repeat(1_500) }
      const body = JSON.stringify({ model: "sandbox", max_tokens: 100, messages: [message] })
      const chat = (headers = {}) => ask("POST", streams.openai.path, { ...bearer, ...headers }, body)
      const first = yield* chat(use)
      expect([first.status, (yield* chat()).status]).toEqual([200, 429])
      const hit = yield* chat(use)
      const left = (answer: typeof hit, of: string) => Number(answer.headers[`x-ratelimit-remaining-${of}`])
      expect(cacheOf(hit)).toBe("hit; age=0")
      expect(left(hit, "requests")).toBe(left(first, "requests") - 2)
    }).pipe(Effect.provide(gateway({}, { limits: true })))
  )

  it.effect("that cannot be read or stored make a call a miss, and do not refuse it", () =>
    Effect.gen(function* () {
      const { sql } = yield* TestGateway
      yield* rerank()
      yield* sql`ALTER TABLE answer_cache RENAME TO gone`
      const answer = yield* rerank()
      expect([answer.status, cacheOf(answer)]).toEqual([200, "miss"])
      yield* sql`ALTER TABLE gone RENAME TO answer_cache`
      expect(cacheOf(yield* rerank())).toBe("hit; age=0")
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("are bounded for each account, and are deleted after their lifetime", () =>
    Effect.gen(function* () {
      const { sql } = yield* TestGateway
      const small = (i: number) => JSON.stringify({ query: `q${i}`, documents: ["a"] })
      for (let i = 0; i < 12; i++) yield* rerank(use, small(i))
      const rows = yield* sql`SELECT id FROM answer_cache`
      expect(rows.length).toBeGreaterThan(2)
      expect(rows.length).toBeLessThan(8)
      expect([cacheOf(yield* rerank(use, small(11))), cacheOf(yield* rerank(use, small(0)))]).toEqual([
        "hit; age=0",
        "miss"
      ])
      yield* TestClock.adjust("11 minutes")
      expect(yield* sql`SELECT id FROM answer_cache`).toEqual([])
    }).pipe(Effect.provide(Layer.provide(gateway(), Layer.succeed(AnswerCacheBytes, 4_000))))
  )

  it.effect("leave the books in order", () =>
    Effect.gen(function* () {
      yield* rerank()
      yield* TestClock.adjust("1 second")
      for (let i = 0; i < 3; i++) yield* rerank()
      const { sql } = yield* TestGateway
      expect((yield* Effect.provideService(Audit.run, SqlClient, sql)).differences).toEqual([])
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("of an operation that is free are sent again without a record", () =>
    Effect.gen(function* () {
      const first = yield* rerank()
      const hit = yield* rerank()
      expect([cacheOf(first), cacheOf(hit), hit.text]).toEqual(["miss", "hit; age=0", first.text])
      expect([hit.headers["x-tollgate-cost-state"], yield* calls]).toEqual(["none", []])
    }).pipe(Effect.provide(gateway({}, { operations: free })))
  )

  it.effect("hold neither the request nor a credential in their keys", () =>
    Effect.gen(function* () {
      yield* rerank()
      const { sql } = yield* TestGateway
      const [row] = yield* sql<{ readonly id: string }>`SELECT id, account FROM answer_cache`
      expect(row?.id).toMatch(/^[0-9a-f]{64}$/)
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("of the same calls at once: each executes, and the last one stored is kept", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => rerank({ "x-tollgate-cache": "refresh" })),
        { concurrency: "unbounded" }
      )
      expect(new Set(answers.map(cacheOf))).toEqual(new Set(["miss"]))
      expect(yield* executed).toBe(10)
      const { sql } = yield* TestGateway
      expect(yield* sql`SELECT id FROM answer_cache`).toHaveLength(1)
    }).pipe(Effect.provide(gateway()))
  )
})
