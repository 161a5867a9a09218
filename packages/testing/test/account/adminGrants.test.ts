import { expect, layer } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Accounts, Admin, Grants } from "@tollgate/gateway"
import { CurrentGrantPolicy } from "@tollgate/gateway/driver"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const token = "an-admin-token-of-some-length"
const dayMillis = 86_400_000

const policy = {
  proposed: { limit: micro(5_000_000n), dayLimit: null, askAbove: null, days: 30 },
  most: { limit: micro(20_000_000n), dayLimit: micro(2_000_000n), askAbove: micro(1_000_000n), days: 90 }
}

/** A grant, and the operator's PATCH of it. */
const given = Effect.gen(function* () {
  const { account, accounts, grants } = yield* OAuthGateway
  const endpoints = yield* Effect.map(Admin.make(Redacted.make(token), {}), Admin.endpoints).pipe(
    Effect.provideService(Accounts, accounts),
    Effect.provideService(Grants, grants),
    Effect.provideService(CurrentGrantPolicy, policy),
    Effect.provide(Layer.mergeAll(Digest.layerWebCrypto, SecureRandom.layerWebCrypto))
  )
  const terms = { limit: micro(5_000_000n), dayLimit: micro(1_000_000n), askAbove: micro(500_000n) }
  const { id } = yield* grants.give({ account, client: { id: "c", name: "An agent" }, scopes: ["use"], ...terms })
  const patch = (body: object, of = id, credential = token) =>
    Effect.gen(function* () {
      const path = `/admin/v1/grants/${of}`
      const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json" }
      const request = new Request(`http://gateway.invalid${path}`, {
        method: "PATCH",
        headers,
        body: JSON.stringify(body)
      })
      const answer = yield* endpoints.answer(HttpServerRequest.fromWeb(request), path)!
      const response = HttpServerResponse.toWeb(answer)
      return { status: response.status, body: yield* Effect.promise(() => response.json()) }
    })
  return { grants, id, patch }
})

layer(OAuthGateway.layer(), { excludeTestServices: true, timeout: "60 seconds" })("the operator", (it) => {
  it.effect("changes the terms of a grant at once", () =>
    Effect.gen(function* () {
      const { grants, id, patch } = yield* given
      const ends_at = new Date(Date.now() + dayMillis).toISOString()
      const lower = { limit_micros_usd: 10, day_limit_micros_usd: 5, ask_above_micros_usd: 0, ends_at }
      expect(yield* patch(lower)).toMatchObject({ status: 200, body: { id, ...lower } })
      const allowed = { categories: ["social"], operations: [] }
      expect((yield* patch({ allowed })).body).toMatchObject({ allowed, limit_micros_usd: 10 })
      expect((yield* grants.list())[0]).toMatchObject({ limit: 10n, dayLimit: 5n, askAbove: 0n, allowed })
    })
  )

  it.effect("allows nothing beyond what the configuration allows", () =>
    Effect.gen(function* () {
      const { grants, id, patch } = yield* given
      const before = yield* grants.find(id)
      const beyond: ReadonlyArray<object> = [
        { limit_micros_usd: 20_000_001 },
        { limit_micros_usd: null },
        { day_limit_micros_usd: null },
        { ask_above_micros_usd: 1_000_001 },
        { ask_above_micros_usd: null },
        { ends_at: new Date(Date.now() + 91 * dayMillis).toISOString() },
        { ends_at: "2001-01-01T00:00:00Z" },
        { limit_micros_usd: -1 },
        { limit_micros_usd: 1, spent_micros_usd: 0 }
      ]
      for (const body of beyond) expect((yield* patch(body)).status, JSON.stringify(body)).toBe(400)
      expect(yield* grants.find(id)).toEqual(before)
      expect((yield* patch({ limit_micros_usd: 20_000_000 })).status).toBe(200)
    })
  )

  it.effect("is told that a grant is not there or has ended, and nobody else is let in", () =>
    Effect.gen(function* () {
      const { grants, id, patch } = yield* given
      expect((yield* patch({ limit_micros_usd: 1 }, "gr_none")).status).toBe(404)
      expect((yield* patch({ limit_micros_usd: 1 }, id, "another-token-of-that-length!")).status).toBe(401)
      yield* grants.revoke(id)
      expect((yield* patch({ limit_micros_usd: 1 })).status).toBe(409)
    })
  )
})
