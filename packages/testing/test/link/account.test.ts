import { describe, expect, it } from "@effect/vitest"
import { ask } from "@tollgate/testing/ask"
import { bearer, layer, Tenants } from "@tollgate/testing/link/app"
import { follow, link, platform, sessions, tokens } from "@tollgate/testing/link/platform"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

const state = (key: string) => Effect.map(ask("GET", "/account/v1/link", bearer(key)), (answer) => answer.json())
const remove = (key: string) => ask("POST", "/account/v1/link/remove", bearer(key), "{}")

const unlinked = {
  available: true,
  platform: "social_a",
  offered_scopes: expect.arrayContaining(["follows.write"]) as unknown,
  linked: false,
  scopes: [],
  linked_at: null
}

describe("the linked account of a key", () => {
  it.effect("is shown, and forgotten at once when it is removed; another account's stays", () => {
    const { http } = platform(() => Response.json(tokens(1)))
    return Effect.gen(function* () {
      const { one, two } = yield* Tenants
      expect(yield* state(one.key)).toEqual(unlinked)
      yield* link(one.key)
      yield* link(two.key)
      const linked = yield* state(one.key)
      expect(linked).toMatchObject({ available: true, linked: true, linked_at: "1970-01-01T00:00:00.000Z" })
      expect(linked).toMatchObject({ scopes: expect.arrayContaining(["follows.write"]) as unknown })
      expect(JSON.stringify(linked)).not.toMatch(/access|refresh|token/)

      const removed = yield* remove(one.key)
      expect([removed.status, removed.json()]).toEqual([200, unlinked])
      expect(yield* state(one.key)).toEqual(unlinked)
      expect((yield* follow(one.key)).status).toBe(403)
      expect(yield* state(two.key)).toMatchObject({ linked: true })
      expect((yield* follow(two.key)).status).toBe(200)
      expect((yield* remove(one.key)).status).toBe(200)
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("is not there any more when its session ended without a refresh token", () => {
    const { http } = platform(() => Response.json(tokens(1, { refresh_token: undefined, expires_in: 60 })))
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      yield* link(one.key)
      expect(yield* state(one.key)).toMatchObject({ linked: true })
      yield* TestClock.adjust("61 seconds")
      expect(yield* state(one.key)).toEqual(unlinked)
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("does not come back when a renewal that was under way ends", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const held = yield* Deferred.make<void>()
      const { http } = platform((form) =>
        form.get("grant_type") === "refresh_token"
          ? Effect.andThen(
              Deferred.succeed(asked, undefined),
              Effect.as(Deferred.await(held), Response.json(tokens(2)))
            )
          : Response.json(tokens(1))
      )
      yield* Effect.gen(function* () {
        const { one } = yield* Tenants
        yield* link(one.key)
        yield* TestClock.adjust("3 hours")
        const following = yield* Effect.forkChild(follow(one.key))
        yield* Deferred.await(asked)
        expect((yield* remove(one.key)).status).toBe(200)
        yield* Deferred.succeed(held, undefined)
        expect((yield* Fiber.join(following)).status).toBe(403)
        expect(yield* sessions).toEqual([])
        expect(yield* state(one.key)).toEqual(unlinked)
      }).pipe(Effect.provide(layer({ outside: http })))
    })
  )
})
