import { assert, describe, expect, it } from "@effect/vitest"
import {
  call,
  type CallError,
  creatorInsights,
  quote,
  rerank,
  ResellerFailed,
  tagDetail,
  userStories,
  withBudget,
  wordSuggestions
} from "@tollgate/client"
import { cachedAnswer } from "@tollgate/contract/operations/cachedAnswer"
import type { Operation } from "@tollgate/contract/Operation"
import type { rerank as rerankOperation } from "@tollgate/contract/operations/rerank"
import type * as Contract from "@tollgate/contract/operations/userStories"
import type { tagDetail as tagDetailOperation } from "@tollgate/contract/operations/tagDetail"
import * as Effect from "effect/Effect"
import { expectTypeOf } from "vitest"
import { json, question, ranking, respond, scripted } from "./scripted.ts"

const costs = (state: string, micros: string) => ({
  ...json,
  "x-request-id": "req_1",
  "x-tollgate-cost-state": state,
  "x-tollgate-cost-micros-usd": micros
})

const answer = (body: unknown, headers: Record<string, string> = json) =>
  scripted(respond(200, JSON.stringify(body), headers))

const operations = {
  userStories: userStories({}),
  creatorInsights: creatorInsights({}),
  tagDetail: tagDetail({}),
  wordSuggestions: wordSuggestions({}),
  cachedAnswer: call(cachedAnswer)({ id: "c_1" })
}

describe.each(Object.entries(operations))("%s", (_, program) => {
  it.effect("succeeds with code 200", () =>
    Effect.gen(function* () {
      const { layer } = answer({ code: 200, data: [1] })
      expect(yield* Effect.provide(program, layer)).toEqual({ code: 200, data: [1] })
    })
  )

  it.effect("fails with another code, though the status is 200", () =>
    Effect.gen(function* () {
      const body = { code: 400, message: "No such user", request_id: "inner", data: null }
      const { layer, sent } = answer(body, costs("none", "0"))
      const error = yield* Effect.flip(Effect.provide(program, layer))
      assert.instanceOf(error, ResellerFailed)
      expect(error).toMatchObject({
        _tag: "ResellerFailed",
        message: "No such user",
        status: 200,
        code: "400",
        requestId: "req_1",
        outcome: "executed",
        charge: { state: "none", micros: 0, usd: "0" },
        envelope: body
      })
      expect(sent).toHaveLength(1)
    })
  )
})

it.effect("an answer without a message says its code", () =>
  Effect.gen(function* () {
    const { layer } = answer({ code: 503 })
    const error = yield* Effect.flip(Effect.provide(userStories({}), layer))
    expect(error).toMatchObject({ message: "The reseller answered with code 503", charge: { state: "unknown" } })
  })
)

it.effect("a reseller's failure is not repeated, and a budget is charged what the headers say", () =>
  Effect.gen(function* () {
    const quoted = {
      operation_id: "o",
      currency: "USD",
      estimate_micros_usd: 2_900,
      max_micros_usd: 2_900,
      price_contract: "body_code",
      basis: "b",
      expires_at: "2026-01-01T00:00:00Z",
      request_id: "r"
    }
    const { layer, sent } = scripted(
      (request, ...rest) =>
        request.headers["x-tollgate-cost-mode"] === "quote"
          ? respond(200, JSON.stringify(quoted), json)(request, ...rest)
          : respond(200, `{"code":500}`, costs("none", "0"))(request, ...rest),
      { retry: {} }
    )
    const twice = Effect.all([Effect.flip(userStories({})), Effect.flip(userStories({}))]).pipe(withBudget("0.0029"))
    const errors = yield* Effect.provide(twice, layer)
    expect(errors.map(({ _tag }) => _tag)).toEqual(["ResellerFailed", "ResellerFailed"])
    expect(sent).toHaveLength(4)
  })
)

it.effect("a `code` in the answer of another operation means nothing", () =>
  Effect.gen(function* () {
    const { layer } = answer({ ...ranking, code: 500 })
    expect(yield* Effect.provide(rerank(question), layer)).toMatchObject({ code: 500 })
  })
)

it("only operations of a reseller have the error in their channel", () => {
  type Has<O extends Operation> = Extract<CallError<O>, ResellerFailed>
  expectTypeOf<Has<typeof Contract.userStories>>().toEqualTypeOf<ResellerFailed>()
  expectTypeOf<Has<typeof tagDetailOperation>>().toEqualTypeOf<ResellerFailed>()
  expectTypeOf<Has<typeof cachedAnswer>>().toEqualTypeOf<ResellerFailed>()
  expectTypeOf<Has<typeof rerankOperation>>().toEqualTypeOf<never>()
  const quoted = () => quote(userStories, {})
  expectTypeOf<Extract<Effect.Error<ReturnType<typeof quoted>>, ResellerFailed>>().toEqualTypeOf<never>()
})
