import { describe, expect, it } from "@effect/vitest"
import { RejectedCredential } from "@tollgate/client/RejectedCredential"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import {
  access,
  gateway,
  grant,
  metadata,
  options,
  refresh,
  type Reply,
  scripted,
  signedIn,
  type Tab
} from "./scripted.ts"

/** The first grant, then the later answers in order; the last one repeats. */
const granting = (first: object, ...later: ReadonlyArray<() => Response | Promise<Response>>): Reply => {
  let count = 0
  return ({ url }) => {
    if (url !== metadata.token_endpoint) return undefined
    count += 1
    return count === 1 ? grant(1, first) : later[Math.min(count - 2, later.length - 1)]?.()
  }
}

const refreshes = (tab: Tab) =>
  tab
    .to(metadata.token_endpoint)
    .map(({ form }) => form.get("refresh_token"))
    .filter((token) => token !== null)

const refused = () => Response.json({ error: "invalid_grant" }, { status: 400 })
const broken = () => new Response("", { status: 503 })

const token = (auth: { readonly credential: Effect.Effect<Redacted.Redacted, unknown> }) =>
  Effect.map(auth.credential, Redacted.value)

const afterRejection = (auth: Parameters<typeof token>[0], rejected: string) =>
  Effect.provideService(token(auth), RejectedCredential, Redacted.make(rejected))

describe("an access token", () => {
  it.effect("is renewed shortly before it expires", () =>
    Effect.gen(function* () {
      const tab = scripted()
      const auth = yield* signedIn(tab)
      yield* TestClock.adjust("3539 seconds")
      expect(yield* token(auth)).toBe(access(1))
      expect(refreshes(tab)).toEqual([])
      yield* TestClock.adjust("1 second")
      expect(yield* token(auth)).toBe(access(2))
      expect(yield* token(auth)).toBe(access(2))
      expect(refreshes(tab)).toEqual([refresh(1)])
    })
  )

  it.effect("each refresh token is used once, with the client and the resource in the request", () =>
    Effect.gen(function* () {
      const tab = scripted()
      const auth = yield* signedIn(tab, { ...options, resource: gateway })
      for (const count of [2, 3]) {
        yield* TestClock.adjust("1 hour")
        expect(yield* token(auth)).toBe(access(count))
      }
      expect(refreshes(tab)).toEqual([refresh(1), refresh(2)])
      expect(Object.fromEntries(tab.to(metadata.token_endpoint)[1]?.form ?? [])).toEqual({
        grant_type: "refresh_token",
        client_id: "the-page",
        refresh_token: refresh(1),
        resource: gateway
      })
    })
  )

  it.effect("the refresh token stays if the server sends no new one", () =>
    Effect.gen(function* () {
      const tab = scripted(granting({}, () => grant(2, { refresh_token: undefined })))
      const auth = yield* signedIn(tab)
      for (const _ of [1, 2]) {
        yield* TestClock.adjust("1 hour")
        yield* token(auth)
      }
      expect(refreshes(tab)).toEqual([refresh(1), refresh(1)])
    })
  )

  it.effect("is renewed once for ten concurrent calls", () =>
    Effect.gen(function* () {
      const tab = scripted()
      const auth = yield* signedIn(tab)
      yield* TestClock.adjust("1 hour")
      const all = yield* Effect.all(
        Array.from({ length: 10 }, () => token(auth)),
        { concurrency: 10 }
      )
      expect(new Set(all)).toEqual(new Set([access(2)]))
      expect(refreshes(tab).length).toBe(1)
    })
  )

  it.effect("a renewal continues when the call that started it is interrupted", () =>
    Effect.gen(function* () {
      const { promise, resolve } = Promise.withResolvers<Response>()
      const tab = scripted(granting({}, () => promise))
      const auth = yield* signedIn(tab)
      yield* TestClock.adjust("1 hour")
      const fiber = yield* Effect.forkChild(token(auth), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      resolve(grant(2))
      expect(yield* token(auth)).toBe(access(2))
      expect(refreshes(tab)).toEqual([refresh(1)])
    })
  )

  it.effect("with a short lifetime is not renewed on every call", () =>
    Effect.gen(function* () {
      const tab = scripted(granting({ expires_in: 8 }, () => grant(2)))
      const auth = yield* signedIn(tab)
      yield* TestClock.adjust("5 seconds")
      expect(yield* token(auth)).toBe(access(1))
      yield* TestClock.adjust("1 second")
      expect(yield* token(auth)).toBe(access(2))
    })
  )

  it.effect("expires counted from the request, not from the answer", () =>
    Effect.gen(function* () {
      const { promise, resolve } = Promise.withResolvers<Response>()
      const tab = scripted(
        granting(
          { expires_in: 20 },
          () => promise,
          () => grant(3)
        )
      )
      const auth = yield* signedIn(tab)
      yield* TestClock.adjust("20 seconds")
      const fiber = yield* Effect.forkChild(token(auth), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      resolve(grant(2, { expires_in: 20 }))
      yield* Fiber.join(fiber)
      yield* TestClock.adjust("10 seconds")
      expect(yield* token(auth)).toBe(access(3))
    })
  )

  it.effect("without an expiry is used until it is rejected", () =>
    Effect.gen(function* () {
      const tab = scripted(granting({ expires_in: undefined }, () => grant(2)))
      const auth = yield* signedIn(tab)
      yield* TestClock.adjust("365 days")
      expect(yield* token(auth)).toBe(access(1))
      expect(yield* afterRejection(auth, access(1))).toBe(access(2))
    })
  )

  it.effect("is renewed once if several calls report it as rejected", () =>
    Effect.gen(function* () {
      const tab = scripted()
      const auth = yield* signedIn(tab)
      const all = yield* Effect.all(
        Array.from({ length: 10 }, () => afterRejection(auth, access(1))),
        { concurrency: 10 }
      )
      expect(new Set(all)).toEqual(new Set([access(2)]))
      expect(yield* afterRejection(auth, access(1))).toBe(access(2))
      expect(refreshes(tab)).toEqual([refresh(1)])
    })
  )
})

describe("if an access token cannot be renewed", () => {
  it.effect("a rejected refresh token signs the user out, and is not sent again", () =>
    Effect.gen(function* () {
      const tab = scripted(granting({}, refused))
      const auth = yield* signedIn(tab)
      yield* TestClock.adjust("1 hour")
      for (const _ of [1, 2]) {
        expect(yield* Effect.flip(auth.credential)).toMatchObject({ _tag: "SignedOut", why: "ended" })
      }
      expect(yield* auth.isSignedIn).toBe(false)
      expect(refreshes(tab).length).toBe(1)
    })
  )

  it.effect("without a refresh token, it is used until it expires or is rejected", () =>
    Effect.gen(function* () {
      for (const rejected of [false, true]) {
        const tab = scripted(granting({ refresh_token: undefined }))
        const auth = yield* signedIn(tab)
        yield* TestClock.adjust("3599 seconds")
        expect(yield* token(auth)).toBe(access(1))
        if (!rejected) yield* TestClock.adjust("1 second")
        expect(yield* Effect.flip(afterRejection(auth, rejected ? access(1) : "another"))).toMatchObject({
          _tag: "SignedOut",
          why: "ended"
        })
        expect(tab.to(metadata.token_endpoint).length).toBe(1)
      }
    })
  )

  it.effect("while the server is down, it is used until it expires, and not every call tries to renew it", () =>
    Effect.gen(function* () {
      const tab = scripted(granting({}, broken, broken, () => grant(2)))
      const auth = yield* signedIn(tab)
      yield* TestClock.adjust("3550 seconds")
      expect(yield* token(auth)).toBe(access(1))
      expect(yield* token(auth)).toBe(access(1))
      expect(refreshes(tab).length).toBe(1)
      yield* TestClock.adjust("50 seconds")
      expect(yield* Effect.flip(auth.credential)).toMatchObject({ _tag: "ServerUnreachable" })
      expect(yield* auth.isSignedIn).toBe(true)
      expect(yield* token(auth)).toBe(access(2))
    })
  )

  it.effect("a rejected token is not used again, even while the server is down", () =>
    Effect.gen(function* () {
      const auth = yield* signedIn(scripted(granting({}, broken)))
      expect(yield* Effect.flip(afterRejection(auth, access(1)))).toMatchObject({ _tag: "ServerUnreachable" })
    })
  )

  it.effect("a server that does not answer within 15 s is unreachable", () =>
    Effect.gen(function* () {
      const auth = yield* signedIn(scripted(granting({}, () => new Promise<Response>(() => {}))))
      yield* TestClock.adjust("1 hour")
      const fiber = yield* Effect.forkChild(Effect.flip(auth.credential), { startImmediately: true })
      yield* TestClock.adjust("15 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "ServerUnreachable" })
    })
  )
})

describe("signing out", () => {
  it.effect("discards the tokens here and revokes them at the server", () =>
    Effect.gen(function* () {
      const tab = scripted()
      const auth = yield* signedIn(tab, { ...options, keep: "sessionStorage" })
      expect(yield* auth.signOut).toEqual({ revoked: true })
      const revoked = tab.to(metadata.revocation_endpoint).map(({ form }) => Object.fromEntries(form))
      expect(revoked).toEqual([
        { token: refresh(1), token_type_hint: "refresh_token", client_id: "the-page" },
        { token: access(1), token_type_hint: "access_token", client_id: "the-page" }
      ])
      expect(yield* Effect.flip(auth.credential)).toMatchObject({ _tag: "SignedOut", why: "left" })
      expect(tab.items.size).toBe(0)
      expect(yield* auth.signOut).toEqual({ revoked: false })
      expect(tab.to(metadata.revocation_endpoint).length).toBe(2)
    })
  )

  it.effect("signs the user out here even if the server does not revoke the tokens", () =>
    Effect.gen(function* () {
      const failing: Reply = ({ url }) => (url === metadata.revocation_endpoint ? broken() : undefined)
      const without: Reply = ({ url }) =>
        url.includes(".well-known") ? Response.json({ ...metadata, revocation_endpoint: undefined }) : undefined
      for (const reply of [failing, without]) {
        const auth = yield* signedIn(scripted(reply))
        expect(yield* auth.signOut).toEqual({ revoked: false })
        expect(yield* auth.isSignedIn).toBe(false)
      }
    })
  )

  it.effect("during a renewal, keeps the user signed out and revokes the new tokens", () =>
    Effect.gen(function* () {
      const { promise, resolve } = Promise.withResolvers<Response>()
      const tab = scripted(granting({}, () => promise))
      const auth = yield* signedIn(tab)
      yield* TestClock.adjust("1 hour")
      const fiber = yield* Effect.forkChild(Effect.flip(auth.credential), { startImmediately: true })
      yield* auth.signOut
      resolve(grant(2))
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "SignedOut", why: "left" })
      expect(yield* auth.isSignedIn).toBe(false)
      const revoked = tab.to(metadata.revocation_endpoint).map(({ form }) => form.get("token"))
      expect(revoked).toEqual([refresh(1), access(1), refresh(2), access(2)])
    })
  )
})
