import { describe, expect, it } from "@effect/vitest"
import { link } from "@tollgate/client/link"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { answer } from "./attempts.ts"
import { authUrl, forkCall, gateway, state } from "./linkScripted.ts"
import { scripted } from "./scripted.ts"

class Closed extends Data.TaggedError("Closed") {}

describe("a link", () => {
  it.effect("starts, is shown to the user, and ends when the program confirms it", () =>
    Effect.gen(function* () {
      const server = gateway()
      const approved = yield* Deferred.make<void>()
      const shown: Array<unknown> = []
      const { fiber, join } = yield* forkCall(
        link({
          scopes: ["follows.write"],
          open: (session) => Effect.sync(() => shown.push(session)),
          confirm: (session) =>
            Effect.andThen(
              Deferred.await(approved),
              Effect.sync(() => shown.push(session.state))
            )
        }),
        server
      )
      yield* TestClock.adjust("599 seconds")
      expect(shown).toMatchObject([{ auth_url: authUrl(), state, expires_at: "1970-01-01T00:10:00.000Z" }])
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* Deferred.succeed(approved, undefined)
      expect(yield* join).toMatchObject({ _tag: "Success", success: { state } })
      expect(shown[1]).toBe(state)
      expect(server.sent.map(({ request }) => request.body.toJSON())).toMatchObject([
        { body: '{"scopes":["follows.write"]}' }
      ])
      expect(server.what()).toEqual(["start"])
    })
  )

  it.effect("requests the gateway's default scopes if none are named", () =>
    Effect.gen(function* () {
      const server = gateway()
      yield* Effect.provide(link({ open: () => Effect.void, confirm: () => Effect.void }), server.layer)
      expect(server.sent.map(({ request }) => request.body.toJSON())).toMatchObject([{ body: "{}" }])
    })
  )

  it.effect.each([
    ["as the answer says", () => ({ expires_at: "1970-01-01T00:01:00Z" }), 60_000],
    ["after ten minutes, where it does not", () => ({}), 600_000],
    ["after ten minutes, where it says nonsense", () => ({ expires_at: "soon" }), 600_000]
  ] as const)("expires %s", ([, session, millis]) =>
    Effect.gen(function* () {
      const server = gateway({ session })
      const { fiber, join } = yield* forkCall(link({ open: () => Effect.void, confirm: () => Effect.never }), server)
      yield* TestClock.adjust(millis - 1)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(yield* join).toMatchObject({
        failure: { _tag: "LinkExpired", operation: "social_a.auth", expiresAt: millis, outcome: "not executed" }
      })
    })
  )

  it.effect(
    "that has expired before it is opened is not opened, and no user is waited for who is still being shown it",
    () =>
      Effect.gen(function* () {
        let opened = 0
        const options = { open: () => Effect.sync(() => opened++), confirm: () => Effect.never }
        const late = gateway({ session: () => ({ expires_at: "1969-12-31T23:59:59Z" }) })
        expect(yield* Effect.flip(Effect.provide(link(options), late.layer))).toMatchObject({ _tag: "LinkExpired" })
        expect(opened).toBe(0)
        const { join } = yield* forkCall(link({ ...options, open: () => Effect.never }), gateway())
        yield* TestClock.adjust("10 minutes")
        expect(yield* join).toMatchObject({ failure: { _tag: "LinkExpired" } })
      })
  )

  it.effect("is shown again after it expired, up to `again` times", () =>
    Effect.gen(function* () {
      const server = gateway()
      const shown: Array<number> = []
      const note = Effect.map(server.note("show"), (now) => shown.push(now))
      const { join } = yield* forkCall(link({ open: () => note, confirm: () => Effect.never, again: 2 }), server)
      yield* TestClock.adjust("1 hour")
      expect(yield* join).toMatchObject({ failure: { _tag: "LinkExpired", expiresAt: 1_800_000 } })
      expect(shown).toEqual([0, 600_000, 1_200_000])
    })
  )

  it.effect("fails with the program's own errors and those of starting a link", () =>
    Effect.gen(function* () {
      const failing = Effect.fail(new Closed())
      const run = Effect.fnUntraced(function* (options: Parameters<typeof link<Closed>>[0]) {
        const server = gateway()
        return [(yield* Effect.flip(Effect.provide(link(options), server.layer)))._tag, server.it.starts]
      })
      expect(yield* run({ open: () => failing, confirm: () => Effect.never })).toEqual(["Closed", 1])
      expect(yield* run({ open: () => Effect.void, confirm: () => failing, again: 5 })).toEqual(["Closed", 1])
      const { layer } = scripted(answer(400, { error: { code: "invalid_request", message: "scopes.0" } }))
      const error = yield* Effect.flip(Effect.provide(link({ open: () => failing, confirm: () => failing }), layer))
      expect(error._tag).toBe("InvalidRequest")
    })
  )

  it.effect.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "",
    " https://platform.invalid/",
    authUrl("another"),
    `https://platform.invalid/?state=${encodeURIComponent(state)}&state=another`
  ])("to %s is not opened", (auth_url) =>
    Effect.gen(function* () {
      let opened = 0
      const server = gateway({ session: () => ({ auth_url }) })
      const open = () => Effect.sync(() => opened++)
      const error = yield* Effect.flip(Effect.provide(link({ open, confirm: () => Effect.void }), server.layer))
      expect([error, opened]).toMatchObject([{ _tag: "LinkUnusable", outcome: "not executed" }, 0])
      expect(JSON.stringify(error)).not.toContain("another")
    })
  )

  it.effect.each([
    ["without a state in sight", "https://platform.invalid/authorize?request_uri=urn:1", state],
    ["unescaped", "https://platform.invalid/?state=st+4te/=", state],
    ["in a form's way", "https://platform.invalid/?a=b&state=a+b%2Fc", "a b/c"],
    ["after the fragment, which is not sent", `https://platform.invalid/#?state=another`, state],
    ["that cannot be decoded", "https://platform.invalid/?state=%zz", "%zz"]
  ] as const)("is opened whose address has its state %s", ([, auth_url, state]) =>
    Effect.gen(function* () {
      const server = gateway({ session: () => ({ auth_url, state }) })
      const linked = link({ open: () => Effect.void, confirm: () => Effect.void })
      expect((yield* Effect.provide(linked, server.layer)).auth_url).toBe(auth_url)
    })
  )

  it.effect("can be interrupted while it waits", () =>
    Effect.gen(function* () {
      let left = 0
      const leaving = Effect.onInterrupt(Effect.never, () => Effect.sync(() => left++))
      const { fiber } = yield* forkCall(link({ open: () => Effect.void, confirm: () => leaving }), gateway())
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      expect(left).toBe(1)
    })
  )
})
