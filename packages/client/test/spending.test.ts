import { describe, expect, it } from "@effect/vitest"
import {
  modelList,
  Policy,
  quote,
  rerank,
  type Usd,
  userStories,
  videoCreate,
  withBudget,
  withMaxPrice,
  withResponse
} from "@tollgate/client"
import { budget } from "@tollgate/client/budget"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { answer, attempts, inOrder, refusal } from "./attempts.ts"
import { fail, question, ranking, scripted, Unsent } from "./scripted.ts"

const quoted = (micros: number) =>
  answer(200, {
    operation_id: "rerank",
    currency: "USD",
    estimate_micros_usd: Math.ceil(micros / 4),
    max_micros_usd: micros,
    price_contract: "per_token",
    basis: "tokens",
    expires_at: "2030-01-01T00:00:00.000Z",
    request_id: "req_q"
  })

const charged = (micros: number, state = "settled", more: Record<string, string> = {}) =>
  answer(200, ranking, { "x-tollgate-cost-micros-usd": String(micros), "x-tollgate-cost-state": state, ...more })

type Handler = Parameters<typeof scripted>[0]

const isQuote = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  headers["x-tollgate-cost-mode"] === "quote"

/** Answers quotes with `price`, and calls with `answers` in order. */
const billing = (price: Handler, ...answers: ReadonlyArray<Handler>): Handler => {
  const calls = inOrder(...answers)
  return (request, url, signal) => (isQuote(request.headers) ? price : calls)(request, url, signal)
}

describe("a quote", () => {
  it.effect("asks for the price of the call, and may be retried", () =>
    Effect.gen(function* () {
      const made = yield* attempts(quote(rerank, question), inOrder(fail(new Error("reset")), quoted(40)))
      expect(made.result).toMatchObject({ success: { estimate_micros_usd: 10, max_micros_usd: 40 } })
      expect(made.sent.map(({ request, url }) => [url.pathname, request.headers["x-tollgate-cost-mode"]])).toEqual([
        ["/v1/rerank", "quote"],
        ["/v1/rerank", "quote"]
      ])
      expect(made.keys).toEqual([undefined, undefined])
      const body = made.sent[0]?.request.body
      expect(JSON.parse(body?._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "")).toEqual(question)
    })
  )

  it.effect("of a create is free too", () =>
    Effect.map(
      attempts(quote(videoCreate, { model: "m", input: { prompt: "p" } }), inOrder(refusal(502), quoted(40))),
      ({ result }) => expect(result._tag).toBe("Success")
    )
  )

  it.effect("of a free operation fails with the gateway's error", () =>
    Effect.map(attempts(quote(modelList, undefined), refusal(400, "quote_unsupported")), ({ count, result }) =>
      expect([count, result]).toMatchObject([1, { failure: { _tag: "InvalidRequest", code: "quote_unsupported" } }])
    )
  )
})

describe("a cap", () => {
  it.effect("is sent with each attempt of a billed call, and with no other", () =>
    Effect.gen(function* () {
      const cap = ({ sent }: { readonly sent: ReadonlyArray<{ readonly request: { readonly headers: unknown } }> }) =>
        sent.map(({ request }) => (request.headers as Record<string, string>)["x-tollgate-max-price-usd"])
      const billed = rerank(question).pipe(withMaxPrice("0.010"))
      expect(cap(yield* attempts(billed, inOrder(refusal(503), charged(1))))).toEqual(["0.01", "0.01"])
      expect(cap(yield* attempts(rerank(question, { maxPrice: { micros: 724 } }), charged(1)))).toEqual(["0.000724"])
      expect(cap(yield* attempts(modelList().pipe(withMaxPrice("0.01")), answer(200)))).toEqual([undefined])
      expect(cap(yield* attempts(rerank(question), charged(1)))).toEqual([undefined])
    })
  )

  it.effect("that is no amount is refused, and nothing is sent", () =>
    Effect.gen(function* () {
      const objects = [{ micros: 0.5 }, { micros: -1 }, { micros: 2 ** 53 }, { micros: "1e3" }, {}, 0.05, null, 1n]
      for (const usd of ["", "-1", "1e3", "0.0000000001", " 1", "free", ...objects]) {
        const made = yield* attempts(rerank(question).pipe(withMaxPrice(usd as Usd)), charged(1))
        expect([made.count, made.result]).toMatchObject([0, { failure: { _tag: "InputInvalid" } }])
      }
    })
  )
})

describe("a budget", () => {
  const rank = rerank(question)
  const twice = Effect.all([rank, rank])

  it.effect("and a cap take what a quote, a charge and a budget tell", () =>
    Effect.gen(function* () {
      const told = Effect.gen(function* () {
        const price = yield* quote(rerank, question)
        const { cost } = yield* withResponse(rerank(question, { maxPrice: price.max }))
        const left = (yield* budget())?.left ?? "0"
        return [
          price.estimate,
          price.max,
          cost,
          left,
          yield* Effect.flip(rank.pipe(withBudget(left), withMaxPrice(price.max)))
        ]
      }).pipe(withBudget({ micros: 50 }))
      const made = yield* attempts(told, inOrder(quoted(40), quoted(40), charged(20), quoted(40)))
      expect(made.result).toMatchObject({
        success: [
          { usd: "0.00001", micros: 10 },
          { usd: "0.00004", micros: 40 },
          { state: "settled", usd: "0.00002", micros: 20 },
          { usd: "0.00003", micros: 30 },
          { _tag: "BudgetExceeded", most: { usd: "0.00004" }, left: { usd: "0.00003" } }
        ]
      })
    })
  )

  it.effect("quotes the call first and caps it at the quote", () =>
    Effect.gen(function* () {
      const made = yield* attempts(rank.pipe(withBudget("1.00")), billing(quoted(40), charged(10)))
      expect(made.result._tag).toBe("Success")
      expect(made.sent.map(({ request }) => isQuote(request.headers))).toEqual([true, false])
      expect(made.sent[1]?.request.headers).toMatchObject({ "x-tollgate-max-price-usd": "0.00004" })
      const lower = yield* attempts(
        rank.pipe(withMaxPrice("0.00003"), withBudget("1.00")),
        billing(quoted(40), charged(10))
      )
      expect(lower.sent[1]?.request.headers).toMatchObject({ "x-tollgate-max-price-usd": "0.00003" })
    })
  )

  it.effect("reserves the cap if that is less than the quote, and pays for a call that its cap makes affordable", () =>
    Effect.gen(function* () {
      const capped = Effect.all([Effect.exit(rank), budget(), Effect.flip(rank)]).pipe(
        withMaxPrice("0.00003"),
        withBudget("0.000035")
      )
      const made = yield* attempts(capped, billing(quoted(40), charged(1, "pending"), answer(404)))
      expect(made.result).toMatchObject({
        success: [
          { _tag: "Success" },
          { reserved: { micros: 30 } },
          {
            _tag: "BudgetExceeded",
            message:
              "The call can cost up to 0.00003 USD, and 0.000005 USD of the budget are left; 0.00003 USD are reserved by calls whose cost is not known yet"
          }
        ]
      })
    })
  )

  it.effect("does not quote free operations", () =>
    Effect.map(attempts(modelList().pipe(withBudget("0")), answer(200)), ({ count, result }) =>
      expect([count, result._tag]).toEqual([1, "Success"])
    )
  )

  it.effect("allows a call that costs exactly what is left, and none that can cost more", () =>
    Effect.gen(function* () {
      expect((yield* attempts(rank.pipe(withBudget("0.00004")), billing(quoted(40), charged(1)))).count).toBe(2)
      const made = yield* attempts(rank.pipe(withBudget("0.000039999")), billing(quoted(40), charged(1)))
      expect(made.count).toBe(1)
      expect(made.result).toMatchObject({
        failure: {
          _tag: "BudgetExceeded",
          outcome: "not executed",
          most: { usd: "0.00004" },
          left: { usd: "0.000039" }
        }
      })
    })
  )

  /** Whether a second call of up to 40 micros fits into a budget of 79: only if the first cost less than its maximum. */
  const secondFits = (first: Handler) =>
    Effect.map(
      attempts(
        Effect.exit(rank).pipe(Effect.andThen(rank), withBudget("0.000079")),
        billing(quoted(40), first, charged(1)),
        { retry: Policy.none }
      ),
      ({ result }) => result._tag === "Success"
    )

  it.effect("deducts the reported charge, or the maximum if the charge is unknown", () =>
    Effect.gen(function* () {
      expect(yield* secondFits(charged(39))).toBe(true)
      expect(yield* secondFits(charged(40))).toBe(false)
      expect(yield* secondFits(charged(39, "estimated"))).toBe(true)
      expect(yield* secondFits(charged(0, "none"))).toBe(true)
      expect(yield* secondFits(charged(1, "pending"))).toBe(false)
      expect(yield* secondFits(answer(200, ranking))).toBe(false)
      // An earlier call with its key has paid for the answer.
      const first = { "idempotent-replayed": "true", "x-tollgate-replayed-cost-micros-usd": "40" }
      expect(yield* secondFits(charged(0, "none", first))).toBe(true)
      expect(yield* secondFits(refusal(402))).toBe(true)
      expect(yield* secondFits(fail(new Unsent("refused")))).toBe(true)
      expect(yield* secondFits(fail(new Error("reset")))).toBe(false)
      expect(yield* secondFits(refusal(500))).toBe(false)
      expect(yield* secondFits(answer(500, {}, { "x-tollgate-cost-state": "none" }))).toBe(true)
      expect(
        yield* secondFits(answer(200, [], { "x-tollgate-cost-state": "settled", "x-tollgate-cost-micros-usd": "5" }))
      ).toBe(true)
    })
  )

  it.effect("is not spent twice by concurrent calls", () =>
    Effect.gen(function* () {
      const slow: Handler = (request, url, signal) => Effect.delay(charged(1)(request, url, signal), 100)
      const racing = Effect.all([Effect.result(rank), Effect.result(rank), Effect.result(rank)], {
        concurrency: "unbounded"
      }).pipe(withBudget("0.00008"))
      const made = yield* attempts(racing, billing(quoted(40), slow))
      const results = made.result._tag === "Success" ? made.result.success : []
      expect(results.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success", "Success"])
    })
  )

  it.effect("inside another is limited by both", () =>
    Effect.gen(function* () {
      const handler = billing(quoted(40), charged(40))
      expect((yield* attempts(rank.pipe(withBudget("1"), withBudget("0.00003")), handler)).count).toBe(1)
      expect((yield* attempts(rank.pipe(withBudget("0.00003"), withBudget("1")), handler)).count).toBe(1)
      const outer = Effect.all([rank.pipe(withBudget("0.00004")), rank.pipe(withBudget("0.00004"))])
      expect((yield* attempts(outer.pipe(withBudget("0.00007")), handler)).result._tag).toBe("Failure")
      expect((yield* attempts(outer.pipe(withBudget("0.00008")), handler)).result._tag).toBe("Success")
    })
  )

  it.effect("is new for each run, and refuses an invalid amount", () =>
    Effect.gen(function* () {
      const once = twice.pipe(withBudget("0.00008"))
      expect((yield* attempts(Effect.andThen(once, once), billing(quoted(40), charged(40)))).result._tag).toBe(
        "Success"
      )
      const made = yield* attempts(rank.pipe(withBudget("much")), billing(quoted(40), charged(1)))
      expect([made.count, made.result]).toMatchObject([0, { failure: { _tag: "InputInvalid" } }])
    })
  )

  it.effect("does not send a call whose quote fails", () =>
    Effect.map(
      attempts(userStories({}).pipe(withBudget("1")), refusal(503, "billing_misconfigured")),
      ({ count, result }) => expect([count, result]).toMatchObject([1, { failure: { _tag: "Unavailable" } }])
    )
  )

  it("never spends more than its amount, whatever is charged", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 200 }),
        fc.array(
          fc.record({ most: fc.integer({ min: 0, max: 60 }), part: fc.double({ min: 0, max: 1, noNaN: true }) })
        ),
        async (budget, calls) => {
          let spent = 0
          let next = 0
          const handler: Handler = (request, url, signal) => {
            const { most, part } = calls[Math.min(next, calls.length - 1)]!
            if (isQuote(request.headers)) return quoted(most)(request, url, signal)
            const cost = Math.floor(most * part)
            spent += cost
            return charged(cost)(request, url, signal)
          }
          const { layer } = scripted(handler)
          const program = Effect.forEach(calls, () =>
            Effect.ensuring(
              Effect.exit(rank),
              Effect.sync(() => next++)
            )
          )
          const exits = await program.pipe(
            withBudget((budget / 1_000_000).toFixed(6)),
            Effect.provide(layer),
            Effect.runPromise
          )
          expect(spent).toBeLessThanOrEqual(budget)
          // No call is refused that fits.
          let left = budget
          calls.forEach(({ most, part }, i) => {
            expect(exits[i]?._tag).toBe(most <= left ? "Success" : "Failure")
            if (most <= left) left -= Math.floor(most * part)
          })
        }
      )
    ))
})
