import { describe, expect, it } from "@effect/vitest"
import { quote, rerank, withBudget, withResponse } from "@tollgate/client"
import * as Effect from "effect/Effect"
import { answer, attempts, inOrder, refusal } from "./attempts.ts"
import { question, ranking } from "./scripted.ts"

const headers = {
  "x-request-id": "req_7",
  "x-tollgate-cost-state": "none",
  "x-tollgate-replayed-cost-micros-usd": "12",
  "x-ratelimit-limit-requests": "60",
  "x-ratelimit-remaining-requests": "59",
  "idempotent-replayed": "true"
}
const priced = {
  operation_id: "rerank",
  currency: "USD",
  estimate_micros_usd: 5,
  max_micros_usd: 40,
  price_contract: "per_token",
  basis: "tokens",
  expires_at: "2030-01-01T00:00:00.000Z",
  request_id: "req_quote"
}

describe("withResponse", () => {
  it.effect("gives what the answer says beside the value", () =>
    Effect.gen(function* () {
      const { result } = yield* attempts(
        withResponse(rerank(question)),
        inOrder(refusal(503), answer(200, ranking, headers))
      )
      expect(result).toMatchObject({
        success: {
          value: ranking,
          status: 200,
          requestId: "req_7",
          cost: { state: "settled", micros: 12, usd: "0.000012" },
          replayed: true,
          limits: { limitRequests: 60, remainingRequests: 59 },
          headers
        }
      })
    })
  )

  it.effect("does not say that a replayed answer was free if the gateway does not say what it cost", () =>
    Effect.gen(function* () {
      for (const [more, cost] of [
        [{}, { state: "unknown" }],
        [{ "x-tollgate-replayed-cost-micros-usd": "much" }, { state: "unknown" }],
        [{ "x-tollgate-replayed-cost-micros-usd": "0" }, { state: "settled", micros: 0, usd: "0" }]
      ] as const) {
        const replay = { "x-tollgate-cost-state": "none", "idempotent-replayed": "true", ...more }
        const { result } = yield* attempts(withResponse(rerank(question)), answer(200, ranking, replay))
        expect(result).toMatchObject({ success: { replayed: true, cost } })
        expect((result as { success: { cost: object } }).success.cost).toEqual(cost)
        // An answer that does not fit the operation was paid for too.
        const wrong = yield* attempts(rerank(question), answer(200, [], replay))
        expect(wrong.result).toMatchObject({ failure: { _tag: "AnswerInvalid", charge: cost } })
      }
      const fresh = { "x-tollgate-cost-state": "none", "x-tollgate-replayed-cost-micros-usd": "12" }
      const { result } = yield* attempts(withResponse(rerank(question)), answer(200, ranking, fresh))
      expect(result).toMatchObject({ success: { replayed: false, cost: { state: "none" } } })
    })
  )

  it.effect("is about the call, and not about the quote that a budget asks for", () =>
    Effect.gen(function* () {
      const call = withResponse(rerank(question)).pipe(withBudget("1"))
      const quoted = answer(200, priced, { "x-request-id": "req_quote" })
      const { result } = yield* attempts(call, inOrder(quoted, answer(200, ranking, headers)))
      expect(result).toMatchObject({ success: { requestId: "req_7" } })
      const asked = yield* attempts(withResponse(quote(rerank, question)), quoted)
      expect(asked.result).toMatchObject({ success: { requestId: "req_quote", value: { max_micros_usd: 40 } } })
    })
  )

  it.effect("has no status if nothing was called", () =>
    Effect.gen(function* () {
      expect(yield* withResponse(Effect.succeed(1))).toMatchObject({ value: 1, status: 0, requestId: undefined })
    })
  )
})
