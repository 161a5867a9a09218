import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layer, Tenants } from "@tollgate/testing/link/app"
import { dump, follow, link, platform, sessions, tokens } from "@tollgate/testing/link/platform"

const refused = () => Response.json({ error: "invalid_grant" }, { status: 400 })

/** A platform that numbers its tokens. `renew` answers refresh requests. */
const numbered = (renew: (count: number) => Effect.Effect<Response> | Response, rest: object = {}) => {
  let count = 0
  const made = platform((form) => {
    count++
    return form.get("grant_type") === "refresh_token" ? renew(count) : Response.json(tokens(count, rest))
  })
  const renewals = () => made.tokenRequests.filter((form) => form.get("grant_type") === "refresh_token")
  return { ...made, renewals }
}

const renewing = () => numbered((count) => Response.json(tokens(count)))

/** Waits in real time, for work that the test clock does not control. */
const until = Effect.fnUntraced(function* (isSo: () => boolean) {
  while (!isSo()) yield* Effect.promise(() => new Promise((done) => setTimeout(done, 5)))
})

describe("a session", () => {
  it.effect("is renewed one minute before its token expires, not earlier", () => {
    const { upstreamTokens, http, renewals } = renewing()
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      yield* link(one.key)
      yield* TestClock.adjust("7139999 millis")
      yield* follow(one.key)
      expect(renewals()).toHaveLength(0)
      yield* TestClock.adjust("1 millis")
      expect((yield* follow(one.key)).status).toBe(200)
      yield* follow(one.key)
      expect(renewals().map((form) => Object.fromEntries(form))).toEqual([
        { grant_type: "refresh_token", refresh_token: "refresh-1", client_id: "tollgate test" }
      ])
      yield* TestClock.adjust("2 hours")
      yield* follow(one.key)
      expect(renewals()[1]?.get("refresh_token")).toBe("refresh-2")
      expect(upstreamTokens).toEqual(["access-1", "access-2", "access-2", "access-3"].map((token) => `Bearer ${token}`))
      expect(yield* dump()).not.toMatch(/access-|refresh-/)
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("is renewed once for all concurrent calls of a key", () => {
    let release = (): void => {}
    const held = new Promise<void>((done) => (release = done))
    const { upstreamTokens, http, renewals } = numbered((count) =>
      Effect.as(
        Effect.promise(() => held),
        Response.json(tokens(count))
      )
    )
    return Effect.gen(function* () {
      const { one, two } = yield* Tenants
      yield* link(one.key)
      yield* link(two.key)
      yield* TestClock.adjust("3 hours")
      const keys = [...Array.from({ length: 20 }, () => one.key), two.key]
      const all = yield* Effect.forkChild(Effect.all(keys.map(follow), { concurrency: "unbounded" }))
      yield* until(() => renewals().length === 2)
      release()
      expect((yield* Fiber.join(all)).every(({ status }) => status === 200)).toBe(true)
      expect(renewals()).toHaveLength(2)
      expect(new Set(upstreamTokens).size).toBe(2)
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("finishes a renewal after its caller has left, since a refresh token is valid once", () => {
    let release = (): void => {}
    const held = new Promise<void>((done) => (release = done))
    const { upstreamTokens, http, renewals } = numbered((count) =>
      Effect.as(
        Effect.promise(() => held),
        Response.json(tokens(count))
      )
    )
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      yield* link(one.key)
      yield* TestClock.adjust("3 hours")
      const caller = yield* Effect.forkChild(follow(one.key))
      yield* until(() => renewals().length === 1)
      yield* Fiber.interrupt(caller)
      const next = yield* Effect.forkChild(follow(one.key))
      release()
      expect((yield* Fiber.join(next)).status).toBe(200)
      expect((yield* follow(one.key)).status).toBe(200)
      expect([renewals().length, upstreamTokens]).toEqual([1, ["Bearer access-2", "Bearer access-2"]])
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("ends when its renewal is refused, and the error says to link again", () => {
    const { upstreamTokens, http, renewals } = numbered(refused)
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      yield* link(one.key)
      yield* TestClock.adjust("3 hours")
      const answer = yield* follow(one.key)
      expect([answer.status, answer.json()]).toMatchObject([
        403,
        { error: { code: "missing_scope", message: expect.stringContaining("link the platform account again") } }
      ])
      expect(yield* sessions).toEqual([])
      expect((yield* follow(one.key)).status).toBe(403)
      expect([renewals().length, upstreamTokens]).toEqual([1, []])
      expect((yield* link(one.key)).status).toBe(200)
      expect((yield* follow(one.key)).status).toBe(200)
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect.each([
    [503, "upstream_unreachable", () => Response.json({ error: "down" }, { status: 500 })],
    [503, "upstream_unreachable", () => new Response("<html>", { status: 200 })],
    [503, "upstream_misconfigured", () => Response.json({ error: "invalid_client" }, { status: 401 })]
  ] as const)("survives a failing platform: %i %s", ([status, code, fail]) => {
    let down = true
    const { upstreamTokens, http } = numbered((count) => (down ? fail() : Response.json(tokens(count))))
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      yield* link(one.key)
      yield* TestClock.adjust("3 hours")
      const answer = yield* follow(one.key)
      expect([answer.status, answer.json()]).toMatchObject([status, { error: { code } }])
      expect([yield* sessions, upstreamTokens]).toEqual([[one.id], []])
      down = false
      expect((yield* follow(one.key)).status).toBe(200)
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("without a refresh token ends when its token expires", () => {
    const { upstreamTokens, http } = numbered(refused, { refresh_token: null })
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      yield* link(one.key)
      yield* TestClock.adjust("7199999 millis")
      expect((yield* follow(one.key)).status).toBe(200)
      yield* TestClock.adjust("1 millis")
      expect((yield* follow(one.key)).status).toBe(403)
      expect([yield* sessions, upstreamTokens.length]).toEqual([[], 1])
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect(
    "keeps its refresh token and scopes if a renewal returns none, and does not expire if no lifetime is given",
    () => {
      const { http, renewals } = numbered(() => Response.json({ access_token: "renewed" }))
      return Effect.gen(function* () {
        const { links, one, sql } = yield* Tenants
        yield* link(one.key)
        yield* TestClock.adjust("3 hours")
        yield* follow(one.key)
        yield* TestClock.adjust("3 days")
        expect((yield* follow(one.key)).status).toBe(200)
        expect(renewals()).toHaveLength(1)
        expect(yield* sql`SELECT scopes, ends_at FROM link_sessions`).toEqual([
          { scopes: "follows.write tweet.read", ends_at: null }
        ])
        yield* links.turnedAway({ ...one, key: one.id, allowance: { rpm: 1, tpm: 1, concurrency: 1 }, multiplier: 1n })
        yield* follow(one.key)
        expect(renewals().map((form) => form.get("refresh_token"))).toEqual(["refresh-1", "refresh-1"])
      }).pipe(Effect.provide(layer({ outside: http })))
    }
  )

  it.effect("that was replaced during a renewal is not overwritten, whether the renewal succeeds or fails", () =>
    Effect.gen(function* () {
      for (const end of [refused, () => Response.json(tokens("late"))]) {
        let release = (): void => {}
        const held = new Promise<void>((done) => (release = done))
        const { upstreamTokens, http, renewals } = numbered(() =>
          Effect.map(
            Effect.promise(() => held),
            end
          )
        )
        yield* Effect.gen(function* () {
          const { one } = yield* Tenants
          yield* link(one.key)
          yield* TestClock.adjust("3 hours")
          const caller = yield* Effect.forkChild(follow(one.key))
          yield* until(() => renewals().length === 1)
          yield* link(one.key)
          release()
          expect((yield* Fiber.join(caller)).status).toBe(200)
          yield* follow(one.key)
          expect(upstreamTokens).toEqual(["Bearer access-3", "Bearer access-3"])
        }).pipe(Effect.provide(Layer.fresh(layer({ outside: http }))))
      }
    })
  )

  it.effect("cannot be read under another installation secret until the account is linked again", () => {
    const folder = mkdtempSync(join(tmpdir(), "links-"))
    const filename = join(folder, "store.db")
    const { http } = renewing()
    return Effect.gen(function* () {
      const id = yield* Effect.gen(function* () {
        const { one } = yield* Tenants
        yield* link(one.key)
        return one.id
      }).pipe(Effect.provide(layer({ outside: http, filename })))
      yield* Effect.gen(function* () {
        const { links, one } = yield* Tenants
        const old = { account: "a", key: id, allowance: { rpm: 1, tpm: 1, concurrency: 1 }, multiplier: 1n }
        const error = yield* Effect.flip(links.token(old, "follows.write"))
        expect(error.refusal.code).toBe("missing_scope")
        expect((yield* link(one.key)).status).toBe(200)
      }).pipe(Effect.provide(layer({ outside: http, filename, secret: 8 })))
    }).pipe(Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true }))))
  })
})
