import { describe, expect, it } from "@effect/vitest"
import { defaults } from "@tollgate/contract/Names"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Links } from "../../../src/identity/link/Links.ts"
import { linkedUser } from "../../../src/call/steps/08-linkedUser.ts"
import { exchangeOf, principal } from "../builtinExchange.ts"

const follow = exchangeOf("/apis/v1/social_a/follow_social_a", {
  method: "POST",
  body: "{}",
  headers: { authorization: "Bearer any", "content-type": "application/json" }
})
const quotes = exchangeOf("/apis/v1/social_a/tweet/quotes?tweetId=1")

describe("an operation for a linked user", () => {
  it.effect("is sent with the linked user's token, and other operations are not", () => {
    const asked: Array<unknown> = []
    const links = Links.of({
      offered: [],
      start: () => Effect.die("unused"),
      finish: () => Effect.die("unused"),
      token: (...args) => Effect.sync(() => (asked.push(args), Redacted.make("token"))),
      linked: () => Effect.die("unused"),
      unlink: () => Effect.die("unused"),
      turnedAway: (who) => Effect.sync(() => void asked.push(who))
    })
    return Effect.gen(function* () {
      const { authorize, discardSession } = yield* linkedUser(defaults)
      expect((yield* authorize(yield* follow)).linkedUserHeaders).toEqual({ authorization: "Bearer token" })
      expect((yield* authorize(yield* quotes)).linkedUserHeaders).toBeUndefined()
      expect(asked).toEqual([[principal, "follows.write"]])
      yield* discardSession(yield* follow)
      expect(asked[1]).toEqual(principal)
      const anonymous = { ...(yield* follow), principal: undefined }
      expect(yield* Effect.flip(authorize(anonymous))).toMatchObject({ refusal: { code: "missing_credential" } })
    }).pipe(Effect.provideService(Links, links))
  })

  it.effect("is refused if no platform is configured", () =>
    Effect.gen(function* () {
      const { authorize, discardSession } = yield* linkedUser(defaults)
      expect(yield* Effect.flip(authorize(yield* follow))).toMatchObject({
        refusal: { code: "upstream_misconfigured" }
      })
      expect((yield* authorize(yield* quotes)).linkedUserHeaders).toBeUndefined()
      yield* discardSession(yield* follow)
    })
  )

  it.effect("is recognized under the operator's own names", () =>
    Effect.gen(function* () {
      const { authorize } = yield* linkedUser({ ...defaults, social_a: "birds" })
      const exchange = yield* follow
      const renamed = { ...exchange, operation: { ...exchange.operation, id: "birds.follow" } }
      expect(yield* Effect.flip(authorize(renamed))).toMatchObject({ refusal: { code: "upstream_misconfigured" } })
      expect((yield* authorize(exchange)).linkedUserHeaders).toBeUndefined()
    })
  )
})
