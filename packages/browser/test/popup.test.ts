import { describe, expect, it } from "@effect/vitest"
import { makeIn } from "../src/signIn/makeIn.ts"
import type { Popup } from "../src/signIn/Page.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { access, back, bus, metadata, options, redirectUri, type Reply, scripted } from "./scripted.ts"

/** A page, the window that it opens, and what it takes to come back in that. */
const opener = (reply?: Reply) => {
  const channel = bus()
  const { promise, resolve } = Promise.withResolvers<URL>()
  let isClosed = false
  const popup: Popup = {
    get closed() {
      return isClosed
    },
    close: () => (isClosed = true),
    location: {
      set href(address: string) {
        resolve(new URL(address))
      }
    }
  }
  const tab = scripted(reply, { channel, popup: () => popup })
  const window = scripted(undefined, { channel, close: () => (isClosed = true) })
  return { tab, window, popup, channel, went: Effect.promise(() => promise) }
}

describe("signing in from a window", () => {
  it.effect("the page stays as it is; the window hands the answer over and closes", () =>
    Effect.gen(function* () {
      const { popup, tab, went, window } = opener()
      const auth = makeIn(tab.page, options)
      const address = tab.address()
      const fiber = yield* Effect.forkChild(auth.signInByPopup, { startImmediately: true })
      window.open(back(yield* went))
      yield* Effect.forkChild(makeIn(window.page, options).completeSignIn)
      yield* Fiber.join(fiber)
      expect(Redacted.value(yield* auth.credential)).toBe(access(1))
      expect([tab.address(), tab.items.size, popup.closed]).toEqual([address, 0, true])
      expect([window.address(), window.asked]).toEqual([redirectUri, []])
    })
  )

  const answers: ReadonlyArray<readonly [string, Record<string, string | undefined>, object]> = [
    ["another issuer", { iss: "https://evil.example" }, { _tag: "ReturnInvalid", why: "issuer" }],
    ["an error", { code: undefined, error: "access_denied" }, { _tag: "SignInDeclined", error: "access_denied" }]
  ]
  for (const [name, answer, expected] of answers) {
    it.effect(`${name} gets no token`, () =>
      Effect.gen(function* () {
        const { popup, tab, went, window } = opener()
        const auth = makeIn(tab.page, options)
        const fiber = yield* Effect.forkChild(Effect.flip(auth.signInByPopup), { startImmediately: true })
        window.open(back(yield* went, answer))
        yield* Effect.forkChild(makeIn(window.page, options).completeSignIn)
        expect(yield* Fiber.join(fiber)).toMatchObject(expected)
        expect([tab.to(metadata.token_endpoint).length, popup.closed]).toEqual([0, true])
      })
    )
  }

  it.effect("an answer to another sign-in gets no token", () =>
    Effect.gen(function* () {
      const { channel, tab, went } = opener()
      const fiber = yield* Effect.forkChild(Effect.flip(makeIn(tab.page, options).signInByPopup), {
        startImmediately: true
      })
      const left = yield* went
      const { search } = new URL(back(left, { state: "popup.other" }))
      channel(`tollgate.signIn.${left.searchParams.get("state")}`).postMessage(search)
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "ReturnInvalid", why: "state" })
      expect(tab.to(metadata.token_endpoint)).toEqual([])
    })
  )

  it.effect("a user who closes the window has abandoned it", () =>
    Effect.gen(function* () {
      const { popup, tab, went } = opener()
      const fiber = yield* Effect.forkChild(Effect.flip(makeIn(tab.page, options).signInByPopup), {
        startImmediately: true
      })
      yield* went
      popup.close()
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "SignInAbandoned" })
    })
  )

  it.effect("the window is opened at once, and closed where the server cannot be used", () =>
    Effect.gen(function* () {
      const { popup, tab } = opener(() => new Response("", { status: 404 }))
      const error = yield* Effect.flip(makeIn(tab.page, options).signInByPopup)
      expect(error).toMatchObject({ _tag: "ServerUnusable", why: "unannounced" })
      expect(popup.closed).toBe(true)
    })
  )

  it.effect("a browser that opens none says so before anything is asked", () =>
    Effect.gen(function* () {
      const tab = scripted()
      expect(yield* Effect.flip(makeIn(tab.page, options).signInByPopup)).toMatchObject({
        _tag: "PageUnfit",
        why: "popup"
      })
      expect(tab.asked).toEqual([])
    })
  )
})
