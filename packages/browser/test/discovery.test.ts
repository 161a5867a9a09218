import { describe, expect, it } from "@effect/vitest"
import { makeSignIn } from "../src/signIn/makeSignIn.ts"
import type { Options } from "../src/signIn/Options.ts"
import * as Effect from "effect/Effect"
import { gateway, go, html, issuer, metadata, options, redirectUri, type Reply, scripted } from "./scripted.ts"

const failedSignIn = (settings: Options, reply?: Reply) => {
  const tab = scripted(reply)
  return Effect.map(Effect.flip(makeSignIn(tab.page, settings).signIn), (error) => ({ error, tab }))
}

const at =
  (url: string, answer: () => Response): Reply =>
  (asked) =>
    asked.url === url ? answer() : undefined

const wellKnown = `${issuer}/.well-known/oauth-authorization-server`
const { issuer: _, ...withoutServer } = options
const gatewayOptions = { ...withoutServer, resource: gateway } as const
const gatewayMetadata = `${gateway}/.well-known/oauth-protected-resource`

describe("discovery of the authorization server", () => {
  it.effect("uses the issuer's metadata", () =>
    Effect.gen(function* () {
      const left = yield* go(scripted())
      expect(left.origin + left.pathname).toBe(`${issuer}/authorize`)
      expect(Object.fromEntries(left.searchParams)).toEqual({
        tenant: "1",
        response_type: "code",
        client_id: "the-page",
        redirect_uri: redirectUri,
        scope: "use",
        state: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: "S256"
      })
    })
  )

  it.effect("falls back to OpenID Connect metadata, also if the first address serves HTML", () =>
    Effect.gen(function* () {
      const named = `${issuer}/tenant`
      const tab = scripted(({ url }) => {
        if (url === `${issuer}/.well-known/oauth-authorization-server/tenant`) return html()
        if (url === `${named}/.well-known/openid-configuration`) return Response.json({ ...metadata, issuer: named })
        return undefined
      })
      expect((yield* go(tab, { ...options, issuer: named })).pathname).toBe("/authorize")
    })
  )

  it.effect("uses the gateway's metadata, and requests tokens for the gateway", () =>
    Effect.gen(function* () {
      const announced = { resource: `${gateway}/`, authorization_servers: [issuer] }
      const left = yield* go(scripted(at(gatewayMetadata, () => Response.json(announced))), gatewayOptions)
      expect(left.searchParams.get("resource")).toBe(`${gateway}/`)
    })
  )

  it.effect("uses configured endpoints without any request", () =>
    Effect.gen(function* () {
      const authorizationServer = {
        issuer,
        authorizationEndpoint: "https://elsewhere.example/a",
        tokenEndpoint: "https://elsewhere.example/t"
      }
      const tab = scripted()
      expect((yield* go(tab, { ...withoutServer, authorizationServer })).host).toBe("elsewhere.example")
      expect(tab.asked).toEqual([])
    })
  )

  it.effect("runs once", () =>
    Effect.gen(function* () {
      const tab = scripted()
      const { signIn } = makeSignIn(tab.page, options)
      yield* Effect.flip(signIn)
      yield* Effect.flip(signIn)
      expect(tab.asked.length).toBe(1)
    })
  )
})

describe("sign-in fails before leaving the page if the server is", () => {
  const claiming = (claim: object) => at(wellKnown, () => Response.json({ ...metadata, ...claim }))
  const cases: ReadonlyArray<readonly [string, Options, Reply, object]> = [
    ["a gateway without metadata", gatewayOptions, () => undefined, { why: "unannounced", message: /set issuer/ }],
    ["a gateway that serves HTML", gatewayOptions, at(gatewayMetadata, html), { why: "unannounced" }],
    [
      "a gateway whose metadata describes another resource",
      gatewayOptions,
      at(gatewayMetadata, () => Response.json({ resource: "https://evil.example", authorization_servers: [issuer] })),
      { why: "metadata" }
    ],
    [
      "a gateway that names no authorization server",
      gatewayOptions,
      at(gatewayMetadata, () => Response.json({ resource: gateway })),
      { why: "unannounced" }
    ],
    ["an issuer without metadata", { ...options, issuer: `${issuer}/x` }, () => undefined, { why: "unannounced" }],
    ["an issuer that serves HTML", options, html, { why: "unannounced" }],
    [
      "an issuer that names another issuer",
      options,
      claiming({ issuer: "https://evil.example" }),
      { why: "metadata", message: /name/ }
    ],
    ["an issuer without PKCE", options, claiming({ code_challenge_methods_supported: undefined }), { why: "metadata" }],
    [
      "an issuer with plain PKCE only",
      options,
      claiming({ code_challenge_methods_supported: ["plain"] }),
      { why: "metadata" }
    ],
    [
      "an issuer with a javascript: endpoint",
      options,
      claiming({ authorization_endpoint: "javascript:alert(1)//" }),
      { why: "metadata" }
    ],
    [
      "an issuer with an HTTP authorization endpoint",
      options,
      claiming({ authorization_endpoint: "http://issuer.example/a" }),
      { why: "metadata" }
    ],
    [
      "an issuer with an HTTP token endpoint",
      options,
      claiming({ token_endpoint: "http://issuer.example/t" }),
      { why: "metadata" }
    ],
    [
      "an issuer with credentials in an endpoint",
      options,
      claiming({ token_endpoint: "https://a:b@issuer.example/t" }),
      { why: "metadata" }
    ],
    [
      "an issuer with an HTTP revocation endpoint",
      options,
      claiming({ revocation_endpoint: "http://issuer.example/r" }),
      { why: "metadata" }
    ],
    [
      "an issuer at an HTTP address",
      { ...options, issuer: "http://issuer.example" },
      () => undefined,
      { why: "metadata" }
    ],
    ["an issuer with invalid metadata", options, claiming({ token_endpoint: 5 }), { why: "unannounced" }]
  ]
  for (const [name, settings, reply, expected] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const { error, tab } = yield* failedSignIn(settings, reply)
        const { message, why } = { message: /./, why: "", ...expected }
        expect(error).toMatchObject({ _tag: "ServerUnusable", why, message: expect.stringMatching(message) })
        expect(tab.left().href).toBe("about:blank")
        expect(tab.items.size).toBe(0)
      })
    )
  }

  it.effect("HTTP is accepted on this machine", () =>
    Effect.gen(function* () {
      const local = "http://127.0.0.1:4000"
      const reply = at(`${local}/.well-known/oauth-authorization-server`, () =>
        Response.json({ ...metadata, issuer: local, authorization_endpoint: `${local}/auth` })
      )
      expect((yield* go(scripted(reply), { ...options, issuer: local })).host).toBe("127.0.0.1:4000")
    })
  )

  it.effect("an unreachable or overloaded server fails as ServerUnreachable", () =>
    Effect.gen(function* () {
      const reject = () => Promise.reject(new TypeError("Failed to fetch"))
      const long = () => new Response("x".repeat(300_000))
      for (const reply of [
        reject,
        () => new Response("", { status: 503 }),
        () => new Response("", { status: 429 }),
        long
      ]) {
        expect((yield* failedSignIn(options, reply)).error).toMatchObject({ _tag: "ServerUnreachable" })
      }
    })
  )
})

describe("a page that cannot sign in fails with the reason", () => {
  it.effect("without HTTPS, without storage, with a redirectUri of another origin", () =>
    Effect.gen(function* () {
      const denied = () => {
        throw new DOMException("denied", "SecurityError")
      }
      const insecure = scripted(undefined, { isSecure: () => false })
      const storageless = scripted(undefined, { storage: denied })
      const problemOf = (tab: ReturnType<typeof scripted>, settings: Options = options) =>
        Effect.flip(makeSignIn(tab.page, settings).signIn)
      expect(yield* problemOf(insecure)).toMatchObject({ _tag: "PageUnfit", why: "insecure" })
      expect(yield* problemOf(storageless)).toMatchObject({ _tag: "PageUnfit", why: "storage" })
      for (const redirectUri of ["https://evil.example/", "/callback", ""]) {
        expect(yield* problemOf(scripted(), { ...options, redirectUri })).toMatchObject({
          _tag: "PageUnfit",
          why: "redirectUri"
        })
      }
    })
  )
})
