import { describe, expect, it } from "@effect/vitest"
import { key } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { gatewayTo } from "@tollgate/testing/hostile/stockSdks"
import { streams } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"

const bearer = { authorization: `Bearer ${key}` }
const capped = { ...bearer, "x-api-key": key, "x-goog-api-key": key, "x-tollgate-max-price-usd": "0.000001" }
const amounts = { estimate_micros_usd: expect.any(Number) as unknown, max_micros_usd: expect.any(Number) as unknown }

describe("a call that costs too much", () => {
  it.live("is refused with estimate and maximum as fields, in every family", () =>
    Effect.gen(function* () {
      const { layer } = yield* gatewayTo((res) => void res.end("{}"))
      yield* Effect.gen(function* () {
        for (const name of ["openai", "anthropic", "gemini"] as const) {
          const { body, path } = streams[name]
          const answer = yield* ask("POST", path, capped, body("Why?", { max_tokens: 500 }))
          expect([answer.status, answer.json()], name).toMatchObject([402, { error: amounts }])
        }
        const data = yield* ask("GET", "/apis/v1/social_a/tweet/quotes?tweetId=1", capped)
        expect([data.status, data.json()]).toMatchObject([402, { error: amounts }])
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )
})

describe("a path that nobody knows", () => {
  it.live("is answered with where to look", () =>
    Effect.gen(function* () {
      const { layer } = yield* gatewayTo((res) => void res.end("{}"))
      const answer = yield* Effect.provide(ask("GET", "/nowhere", bearer), layer)
      expect([answer.status, answer.text]).toEqual([404, expect.stringContaining("`/docs`")])
    }).pipe(Effect.scoped)
  )
})
