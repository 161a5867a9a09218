import { describe, expect, it } from "@effect/vitest"
import { makeSignIn } from "../src/signIn/makeSignIn.ts"
import type { Popup } from "../src/signIn/Page.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { access, back, bus, metadata, options, redirectUri, type Reply, scripted } from "./scripted.ts"

/** A page, the window that it opens, and the address that the window was sent to. */
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
  return { tab, window, popup, channel, navigated: Effect.promise(() => promise) }
}

describe("signing in through a popup", () => {
  it.effect("the page stays; the popup sends the answer to it and closes", () =>
    Effect.gen(function* () {
      const { popup, tab, navigated, window } = opener()
      const auth = makeSignIn(tab.page, options)
      const address = tab.address()
      const fiber = yield* Effect.forkChild(auth.signInByPopup, { startImmediately: true })
      window.open(back(yield* navigated))
      yield* Effect.forkChild(makeSignIn(window.page, options).completeSignIn)
      yield* Fiber.join(fiber)
      expect(Redacted.value(yield* auth.credential)).toBe(access(1))
      expect([tab.address(), tab.items.size, popup.closed]).toEqual([address, 0, true])
      expect([window.address(), window.asked]).toEqual([redirectUri, []])
    })
  )

  const answers: ReadonlyArray<readonly [string, Record<string, string | undefined>, object]> = [
    ["an answer from another issuer", { iss: "https://evil.example" }, { _tag: "ReturnInvalid", why: "issuer" }],
    ["an error answer", { code: undefined, error: "access_denied" }, { _tag: "SignInDeclined", error: "access_denied" }]
  ]
  for (const [name, answer, expected] of answers) {
    it.effect(`${name} gets no token`, () =>
      Effect.gen(function* () {
        const { popup, tab, navigated, window } = opener()
        const auth = makeSignIn(tab.page, options)
        const fiber = yield* Effect.forkChild(Effect.flip(auth.signInByPopup), { startImmediately: true })
        window.open(back(yield* navigated, answer))
        yield* Effect.forkChild(makeSignIn(window.page, options).completeSignIn)
        expect(yield* Fiber.join(fiber)).toMatchObject(expected)
        expect([tab.to(metadata.token_endpoint).length, popup.closed]).toEqual([0, true])
      })
    )
  }

  it.effect("an answer to another sign-in gets no token", () =>
    Effect.gen(function* () {
      const { channel, tab, navigated } = opener()
      const fiber = yield* Effect.forkChild(Effect.flip(makeSignIn(tab.page, options).signInByPopup), {
        startImmediately: true
      })
      const left = yield* navigated
      const { search } = new URL(back(left, { state: "popup.other" }))
      channel(`tollgate.signIn.${left.searchParams.get("state")}`).postMessage(search)
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "ReturnInvalid", why: "state" })
      expect(tab.to(metadata.token_endpoint)).toEqual([])
    })
  )

  it.effect("closing the popup abandons the sign-in", () =>
    Effect.gen(function* () {
      const { popup, tab, navigated } = opener()
      const fiber = yield* Effect.forkChild(Effect.flip(makeSignIn(tab.page, options).signInByPopup), {
        startImmediately: true
      })
      yield* navigated
      popup.close()
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "SignInAbandoned" })
    })
  )

  it.effect("the popup opens at once, and closes if the server cannot be used", () =>
    Effect.gen(function* () {
      const { popup, tab } = opener(() => new Response("", { status: 404 }))
      const error = yield* Effect.flip(makeSignIn(tab.page, options).signInByPopup)
      expect(error).toMatchObject({ _tag: "ServerUnusable", why: "unannounced" })
      expect(popup.closed).toBe(true)
    })
  )

  it.effect("a blocked popup fails the sign-in before any request", () =>
    Effect.gen(function* () {
      const tab = scripted()
      expect(yield* Effect.flip(makeSignIn(tab.page, options).signInByPopup)).toMatchObject({
        _tag: "PageUnfit",
        why: "popup"
      })
      expect(tab.asked).toEqual([])
    })
  )
})
