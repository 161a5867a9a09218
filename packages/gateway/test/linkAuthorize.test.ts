import { describe, expect, it } from "@effect/vitest"
import { defaults } from "@tollgate/contract/Names"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { authorization } from "../src/link/authorize.ts"
import { Links } from "../src/link/Links.ts"
import { exchangeOf, principal } from "./ownExchange.ts"

const follow = exchangeOf("/apis/v1/social_a/follow_social_a", {
  method: "POST",
  body: "{}",
  headers: { authorization: "Bearer any", "content-type": "application/json" }
})
const quotes = exchangeOf("/apis/v1/social_a/tweet/quotes?tweetId=1")

describe("the authorization of a call", () => {
  it.effect("is the session's token for an operation that acts for a linked user, and nothing for others", () => {
    const asked: Array<unknown> = []
    const links = Links.of({
      start: () => Effect.die("unused"),
      finish: () => Effect.die("unused"),
      token: (...args) => Effect.sync(() => (asked.push(args), Redacted.make("token"))),
      turnedAway: (who) => Effect.sync(() => void asked.push(who))
    })
    return Effect.gen(function* () {
      const { authorize, turnedAway } = yield* authorization(defaults)
      expect(yield* authorize(yield* follow)).toEqual({ authorization: "Bearer token" })
      expect(yield* authorize(yield* quotes)).toBeUndefined()
      expect(asked).toEqual([[principal, "follows.write"]])
      yield* turnedAway(yield* follow)
      expect(asked[1]).toEqual(principal)
      const anonymous = { ...(yield* follow), principal: undefined }
      expect(yield* Effect.flip(authorize(anonymous))).toMatchObject({ refusal: { code: "missing_credential" } })
    }).pipe(Effect.provideService(Links, links))
  })

  it.effect("is refused if no platform is configured", () =>
    Effect.gen(function* () {
      const { authorize, turnedAway } = yield* authorization(defaults)
      expect(yield* Effect.flip(authorize(yield* follow))).toMatchObject({
        refusal: { code: "upstream_misconfigured" }
      })
      expect(yield* authorize(yield* quotes)).toBeUndefined()
      yield* turnedAway(yield* follow)
    })
  )

  it.effect("follows the configured names", () =>
    Effect.gen(function* () {
      const { authorize } = yield* authorization({ ...defaults, social_a: "birds" })
      const exchange = yield* follow
      const renamed = { ...exchange, operation: { ...exchange.operation, id: "birds.follow" } }
      expect(yield* Effect.flip(authorize(renamed))).toMatchObject({ refusal: { code: "upstream_misconfigured" } })
      expect(yield* authorize(exchange)).toBeUndefined()
    })
  )
})
