import { describe, expect, it } from "@effect/vitest"
import { makeSignIn } from "../src/signIn/makeSignIn.ts"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import {
  access,
  bus,
  grant,
  metadata,
  options,
  refresh,
  type Reply,
  scripted,
  signedIn,
  storageOf
} from "./scripted.ts"

const kept = { ...options, keep: "sessionStorage" } as const

/** A server that accepts each refresh token once. */
const strict = () => {
  const used: Array<string | null> = []
  const reply: Reply = ({ form, url }) => {
    if (url !== metadata.token_endpoint) return undefined
    const token = form.get("refresh_token")
    const isAgain = used.includes(token)
    used.push(token)
    if (isAgain) return Response.json({ error: "invalid_grant" }, { status: 400 })
    return grant(used.length, { expires_in: used.length === 1 ? 0 : 3_600 })
  }
  return { used, reply }
}

const token = (auth: { readonly credential: Effect.Effect<Redacted.Redacted, unknown> }) =>
  Effect.map(auth.credential, Redacted.value)

describe("tokens in sessionStorage", () => {
  it.effect("survive a reload; those in memory do not", () =>
    Effect.gen(function* () {
      const tab = scripted()
      yield* signedIn(tab, kept)
      expect(yield* token(makeSignIn(tab.page, kept))).toBe(access(1))
      expect(yield* Effect.flip(makeSignIn(tab.page, options).credential)).toMatchObject({
        _tag: "SignedOut",
        why: "absent"
      })
    })
  )

  it.effect("are not stored there by default", () =>
    Effect.gen(function* () {
      const tab = scripted()
      yield* signedIn(tab)
      expect(tab.items.size).toBe(0)
    })
  )

  it.effect("are ignored if the stored value is invalid", () =>
    Effect.gen(function* () {
      const tab = scripted()
      yield* signedIn(tab, kept)
      const [[key] = [""]] = tab.items
      for (const invalid of ["", "{}", "null", `{"access":5}`]) {
        tab.items.set(key, invalid)
        expect(yield* makeSignIn(tab.page, kept).isSignedIn).toBe(false)
      }
    })
  )

  it.effect("are in memory if the browser allows no storage", () =>
    Effect.gen(function* () {
      const items = new Map<string, string>()
      const storage = storageOf(items)
      const full = (name: string, value: string) => {
        if (name.includes("begun")) storage.setItem(name, value)
        else throw new DOMException("full", "QuotaExceededError")
      }
      const tab = scripted(undefined, { storage: () => ({ ...storage, setItem: full }) })
      expect(yield* token(yield* signedIn(tab, kept))).toBe(access(1))
    })
  )

  it.live("a duplicated tab does not use the refresh token a second time", () =>
    Effect.gen(function* () {
      const { reply, used } = strict()
      const shared = { channel: bus(), locks: () => navigator.locks }
      const first = scripted(reply, shared)
      const one = yield* signedIn(first, kept)
      const second = scripted(reply, shared)
      for (const [name, value] of first.items) second.items.set(name, value)
      const other = makeSignIn(second.page, kept)
      expect(yield* other.isSignedIn).toBe(true)
      expect(yield* Effect.all([token(one), token(other)], { concurrency: 2 })).toEqual([access(2), access(2)])
      expect(used).toEqual([null, refresh(1)])
      expect(yield* token(makeSignIn(second.page, kept))).toBe(access(2))
    })
  )

  it.live("a renewal does not reach a tab with its own sign-in", () =>
    Effect.gen(function* () {
      const channel = bus()
      const one = yield* signedIn(scripted(strict().reply, { channel }), kept)
      const other = yield* signedIn(
        scripted(({ url }) => (url === metadata.token_endpoint ? grant(7) : undefined), { channel }),
        kept
      )
      expect(yield* token(one)).toBe(access(2))
      yield* Effect.sleep("60 millis")
      expect(yield* token(other)).toBe(access(7))
    })
  )

  it.live("are renewed even if the browser refuses the lock", () =>
    Effect.gen(function* () {
      const request = () => Promise.reject(new DOMException("denied", "SecurityError"))
      const auth = yield* signedIn(scripted(strict().reply, { locks: () => ({ request }) }), kept)
      expect(yield* token(auth)).toBe(access(2))
    })
  )
})
