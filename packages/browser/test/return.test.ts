import { describe, expect, it } from "@effect/vitest"
import { makeSignIn } from "../src/signIn/makeSignIn.ts"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import {
  access,
  back,
  go,
  grant,
  html,
  issuer,
  metadata,
  options,
  redirectUri,
  type Reply,
  scripted,
  signedIn
} from "./scripted.ts"

const atToken =
  (answer: () => Response | Promise<Response>): Reply =>
  ({ url }) =>
    url === metadata.token_endpoint ? answer() : undefined

const refusal = (error: string, status = 400) => Response.json({ error, error_description: "c4n4ry" }, { status })

const challengeOf = (verifier: string) =>
  Digest.Digest.use(({ digest }) => digest(Digest.sha256, new TextEncoder().encode(verifier))).pipe(
    Effect.map(Base64Url.encode),
    Effect.provide(Digest.layerWebCrypto)
  )

describe("the answer of the server", () => {
  it.effect("is exchanged for tokens with the attempt's verifier", () =>
    Effect.gen(function* () {
      const tab = scripted()
      const { completed, credential, isSignedIn } = yield* signedIn(tab)
      expect(yield* isSignedIn).toBe(true)
      expect(completed).toEqual({ returnTo: "https://app.example/start?tab=2#here" })
      expect(Redacted.value(yield* credential)).toBe(access(1))
      const [{ form, init }] = tab.to(metadata.token_endpoint) as [(typeof tab.asked)[number]]
      expect(Object.fromEntries(form)).toEqual({
        grant_type: "authorization_code",
        client_id: "the-page",
        redirect_uri: redirectUri,
        code: "c4n4ry-code",
        code_verifier: expect.stringMatching(/^[\w-]{43}$/)
      })
      expect(yield* challengeOf(form.get("code_verifier") ?? "")).toBe(tab.left().searchParams.get("code_challenge"))
      expect(init).toMatchObject({ method: "POST", redirect: "error", credentials: "omit", cache: "no-store" })
    })
  )

  it.effect("is removed from the address bar and from storage; other parameters stay", () =>
    Effect.gen(function* () {
      const tab = scripted()
      tab.open(`${back(yield* go(tab))}&session_state=1&theme=dark#part`)
      yield* makeSignIn(tab.page, options).completeSignIn
      expect(tab.address()).toBe(`${redirectUri}?theme=dark#part`)
      expect(tab.items.size).toBe(0)
    })
  )

  it.effect("is removed from the address bar before the exchange, also if that fails", () =>
    Effect.gen(function* () {
      let seen = ""
      const tab = scripted(
        atToken(() => {
          seen = tab.address()
          return refusal("invalid_grant")
        })
      )
      yield* Effect.flip(signedIn(tab))
      expect([seen, tab.address()]).toEqual([redirectUri, redirectUri])
    })
  )

  it.effect("leads back to this origin, even from a path that looks like another host", () =>
    Effect.gen(function* () {
      const tab = scripted()
      tab.open("https://app.example//evil.example/?x=1")
      tab.open(back(yield* go(tab)))
      const completed = yield* makeSignIn(tab.page, options).completeSignIn
      expect(new URL(completed?.returnTo ?? "", redirectUri).origin).toBe("https://app.example")
    })
  )

  it.effect("is completed by signIn too, which does nothing if the user is signed in", () =>
    Effect.gen(function* () {
      const tab = scripted()
      tab.open(back(yield* go(tab)))
      const { credential, signIn } = makeSignIn(tab.page, options)
      yield* signIn
      yield* signIn
      expect(Redacted.value(yield* credential)).toBe(access(1))
      expect(tab.to(metadata.token_endpoint).length).toBe(1)
    })
  )

  it.effect("is exchanged once if completeSignIn runs twice, as in some frameworks", () =>
    Effect.gen(function* () {
      const tab = scripted()
      tab.open(back(yield* go(tab)))
      const { completeSignIn } = makeSignIn(tab.page, options)
      const both = yield* Effect.all([completeSignIn, completeSignIn], { concurrency: 2 })
      expect(both.map((completed) => completed?.returnTo)).toEqual([expect.any(String), expect.any(String)])
      expect(tab.to(metadata.token_endpoint).length).toBe(1)
    })
  )

  it.effect("is not seen in any other address", () =>
    Effect.gen(function* () {
      const others = [
        "https://app.example/start?code=1&state=2",
        `${redirectUri}?code=promo`,
        `${redirectUri}?state=CA`,
        redirectUri
      ]
      for (const address of others) {
        const tab = scripted()
        tab.open(address)
        expect(yield* makeSignIn(tab.page, options).completeSignIn).toBe(undefined)
        expect(tab.address()).toBe(address)
      }
    })
  )

  it.effect("without an answer, the sign-in is abandoned", () =>
    Effect.gen(function* () {
      const tab = scripted()
      expect(yield* Effect.flip(makeSignIn(tab.page, options).signIn)).toMatchObject({ _tag: "SignInAbandoned" })
    })
  )
})

describe("no tokens are requested for", () => {
  const cases: ReadonlyArray<readonly [string, (left: URL) => string, object]> = [
    ["a wrong state", (left) => back(left, { state: "x".repeat(43) }), { _tag: "ReturnInvalid", why: "state" }],
    ["an empty state", (left) => back(left, { state: "" }), { _tag: "ReturnInvalid", why: "state" }],
    ["two states", (left) => `${back(left)}&state=x`, { _tag: "ReturnInvalid", why: "state" }],
    ["two codes", (left) => `${back(left)}&code=x`, { _tag: "ReturnInvalid", why: "state" }],
    ["two issuers", (left) => `${back(left)}&iss=x`, { _tag: "ReturnInvalid", why: "state" }],
    ["another issuer", (left) => back(left, { iss: "https://evil.example" }), { _tag: "ReturnInvalid", why: "issuer" }],
    [
      "an issuer with an extra slash",
      (left) => back(left, { iss: `${issuer}/` }),
      { _tag: "ReturnInvalid", why: "issuer" }
    ],
    ["no issuer, from a server that sends one", (left) => back(left, { iss: undefined }), { why: "issuer" }],
    [
      "another issuer's error",
      (left) => back(left, { iss: "https://evil.example", error: "access_denied" }),
      { _tag: "ReturnInvalid", why: "issuer" }
    ],
    ["a popup state without a waiting page", (left) => back(left, { state: "popup.x" }), { why: "state" }],
    ["an empty code", (left) => back(left, { code: "" }), { _tag: "ReturnInvalid", why: "code" }],
    [
      "a code with control characters",
      (left) => back(left, { code: "a\r\nb" }),
      { _tag: "ReturnInvalid", why: "code" }
    ],
    [
      "an error",
      (left) => back(left, { code: undefined, error: "access_denied", error_description: "c4n4ry" }),
      { _tag: "SignInDeclined", error: "access_denied" }
    ],
    ["an error beside a code", (left) => back(left, { error: "server_error" }), { _tag: "SignInDeclined" }],
    [
      "an error that is not a valid code",
      (left) => back(left, { code: undefined, error: "<script>c4n4ry" }),
      { _tag: "SignInDeclined", error: "unknown" }
    ]
  ]
  for (const [name, address, expected] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const tab = scripted()
        tab.open(address(yield* go(tab)))
        const auth = makeSignIn(tab.page, options)
        const error = yield* Effect.flip(auth.completeSignIn)
        expect(error).toMatchObject(expected)
        expect(JSON.stringify(error) + String(error)).not.toContain("c4n4ry")
        expect(tab.to(metadata.token_endpoint)).toEqual([])
        expect(tab.address()).toBe(redirectUri)
        expect(yield* Effect.flip(auth.credential)).toMatchObject({ _tag: "SignedOut", why: "absent" })
      })
    )
  }

  it.effect("an answer that was already used", () =>
    Effect.gen(function* () {
      const tab = scripted()
      const { credential } = yield* signedIn(tab)
      tab.open(back(tab.left()))
      expect(yield* Effect.flip(makeSignIn(tab.page, options).completeSignIn)).toMatchObject({ why: "state" })
      expect(tab.to(metadata.token_endpoint).length).toBe(1)
      expect(Redacted.value(yield* credential)).toBe(access(1))
    })
  )

  it.effect("an answer to another tab", () =>
    Effect.gen(function* () {
      const tab = scripted()
      tab.open(back(yield* go(scripted())))
      expect(yield* Effect.flip(makeSignIn(tab.page, options).completeSignIn)).toMatchObject({ why: "state" })
    })
  )

  it.effect("an answer after 15 minutes", () =>
    Effect.gen(function* () {
      const tab = scripted()
      tab.open(back(yield* go(tab)))
      yield* TestClock.adjust("16 minutes")
      expect(yield* Effect.flip(makeSignIn(tab.page, options).completeSignIn)).toMatchObject({ why: "late" })
    })
  )

  it.effect("a wrong answer does not end the pending sign-in", () =>
    Effect.gen(function* () {
      const tab = scripted()
      const left = yield* go(tab)
      tab.open(back(left, { state: "wrong" }))
      yield* Effect.flip(makeSignIn(tab.page, options).completeSignIn)
      tab.open(back(left))
      expect(yield* makeSignIn(tab.page, options).completeSignIn).toBeDefined()
    })
  )

  it.effect("the code is sent only to the server where the sign-in started", () =>
    Effect.gen(function* () {
      const other = "https://evil.example"
      const tab = scripted(({ url }) =>
        url.startsWith(other) ? Response.json({ ...metadata, issuer: other, token_endpoint: `${other}/t` }) : undefined
      )
      tab.open(back(yield* go(tab)))
      yield* makeSignIn(tab.page, { ...options, issuer: other }).completeSignIn
      expect(tab.asked.filter(({ url }) => url.startsWith(other))).toEqual([])
    })
  )
})

describe("the sign-in fails if the token endpoint answers with", () => {
  const cases: ReadonlyArray<readonly [string, Reply, object]> = [
    ["a rejected code", atToken(() => refusal("invalid_grant")), { _tag: "ReturnInvalid", why: "code" }],
    ["an unknown client", atToken(() => refusal("invalid_client", 401)), { why: "client", error: "invalid_client" }],
    ["a refusal that is not JSON", atToken(() => new Response("c4n4ry", { status: 400 })), { why: "answer" }],
    ["an error that is not a valid code", atToken(() => refusal("c4n4ry <b>")), { why: "answer" }],
    ["HTML", atToken(html), { _tag: "ServerUnusable", why: "answer" }],
    ["no token", atToken(() => grant(1, { access_token: undefined })), { why: "answer" }],
    [
      "a token that a header cannot carry",
      atToken(() => grant(1, { access_token: "c4n4ry\r\nx: y" })),
      { why: "answer" }
    ],
    ["a token bound to a key", atToken(() => grant(1, { token_type: "DPoP" })), { why: "answer" }],
    ["no token type", atToken(() => grant(1, { token_type: undefined })), { why: "answer" }],
    ["a lifetime that is not a number", atToken(() => grant(1, { expires_in: "c4n4ry" })), { why: "answer" }],
    ["a negative lifetime", atToken(() => grant(1, { expires_in: -1 })), { why: "answer" }],
    ["a server error", atToken(() => new Response("c4n4ry", { status: 500 })), { _tag: "ServerUnreachable" }],
    ["a network error", atToken(() => Promise.reject(new TypeError("c4n4ry"))), { _tag: "ServerUnreachable" }]
  ]
  for (const [name, reply, expected] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const tab = scripted(reply)
        const error = yield* Effect.flip(signedIn(tab))
        expect(error).toMatchObject(expected)
        expect(JSON.stringify(error) + String(error)).not.toContain("c4n4ry")
        expect(tab.to(metadata.token_endpoint).length).toBe(1)
        expect(tab.items.size).toBe(0)
      })
    )
  }
})
