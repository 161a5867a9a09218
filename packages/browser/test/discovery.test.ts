import { describe, expect, it } from "@effect/vitest"
import { makeIn } from "../src/signIn/makeIn.ts"
import type { Options } from "../src/signIn/Options.ts"
import * as Effect from "effect/Effect"
import { gateway, go, html, issuer, metadata, options, redirectUri, type Reply, scripted } from "./scripted.ts"

const failure = (settings: Options, reply?: Reply) => {
  const tab = scripted(reply)
  return Effect.map(Effect.flip(makeIn(tab.page, settings).signIn), (error) => ({ error, tab }))
}

const at =
  (url: string, answer: () => Response): Reply =>
  (asked) =>
    asked.url === url ? answer() : undefined

const wellKnown = `${issuer}/.well-known/oauth-authorization-server`
const { issuer: _, ...nowhere } = options
const ofGateway = { ...nowhere, resource: gateway } as const
const gatewayMetadata = `${gateway}/.well-known/oauth-protected-resource`

describe("where to sign in", () => {
  it.effect("the issuer's metadata says", () =>
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

  it.effect("the metadata of OpenID Connect says, where there is no other, be it that HTML is there", () =>
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

  it.effect("the gateway says, and tokens are asked for it", () =>
    Effect.gen(function* () {
      const announced = { resource: `${gateway}/`, authorization_servers: [issuer] }
      const left = yield* go(scripted(at(gatewayMetadata, () => Response.json(announced))), ofGateway)
      expect(left.searchParams.get("resource")).toBe(`${gateway}/`)
    })
  )

  it.effect("endpoints that are set say, and nothing is asked for", () =>
    Effect.gen(function* () {
      const authorizationServer = {
        issuer,
        authorizationEndpoint: "https://elsewhere.example/a",
        tokenEndpoint: "https://elsewhere.example/t"
      }
      const tab = scripted()
      expect((yield* go(tab, { ...nowhere, authorizationServer })).host).toBe("elsewhere.example")
      expect(tab.asked).toEqual([])
    })
  )

  it.effect("is asked once", () =>
    Effect.gen(function* () {
      const tab = scripted()
      const { signIn } = makeIn(tab.page, options)
      yield* Effect.flip(signIn)
      yield* Effect.flip(signIn)
      expect(tab.asked.length).toBe(1)
    })
  )
})

describe("a server that is not to be relied upon is not gone to", () => {
  const claiming = (claim: object) => at(wellKnown, () => Response.json({ ...metadata, ...claim }))
  const cases: ReadonlyArray<readonly [string, Options, Reply, object]> = [
    ["a gateway that says nothing", ofGateway, () => undefined, { why: "unannounced", message: /set issuer/ }],
    ["a gateway that is a website", ofGateway, at(gatewayMetadata, html), { why: "unannounced" }],
    [
      "a gateway that describes another",
      ofGateway,
      at(gatewayMetadata, () => Response.json({ resource: "https://evil.example", authorization_servers: [issuer] })),
      { why: "metadata" }
    ],
    [
      "a gateway without a server",
      ofGateway,
      at(gatewayMetadata, () => Response.json({ resource: gateway })),
      { why: "unannounced" }
    ],
    ["an issuer without metadata", { ...options, issuer: `${issuer}/x` }, () => undefined, { why: "unannounced" }],
    ["a website", options, html, { why: "unannounced" }],
    ["another name", options, claiming({ issuer: "https://evil.example" }), { why: "metadata", message: /name/ }],
    ["no PKCE", options, claiming({ code_challenge_methods_supported: undefined }), { why: "metadata" }],
    ["plain PKCE", options, claiming({ code_challenge_methods_supported: ["plain"] }), { why: "metadata" }],
    ["a script", options, claiming({ authorization_endpoint: "javascript:alert(1)//" }), { why: "metadata" }],
    ["no HTTPS", options, claiming({ authorization_endpoint: "http://issuer.example/a" }), { why: "metadata" }],
    ["no HTTPS for tokens", options, claiming({ token_endpoint: "http://issuer.example/t" }), { why: "metadata" }],
    [
      "a user in the address",
      options,
      claiming({ token_endpoint: "https://a:b@issuer.example/t" }),
      { why: "metadata" }
    ],
    ["no HTTPS to revoke", options, claiming({ revocation_endpoint: "http://issuer.example/r" }), { why: "metadata" }],
    ["an issuer without HTTPS", { ...options, issuer: "http://issuer.example" }, () => undefined, { why: "metadata" }],
    ["numbers", options, claiming({ token_endpoint: 5 }), { why: "unannounced" }]
  ]
  for (const [name, settings, reply, expected] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const { error, tab } = yield* failure(settings, reply)
        const { message, why } = { message: /./, why: "", ...expected }
        expect(error).toMatchObject({ _tag: "ServerUnusable", why, message: expect.stringMatching(message) })
        expect(tab.left().href).toBe("about:blank")
        expect(tab.items.size).toBe(0)
      })
    )
  }

  it.effect("http is good enough on this machine", () =>
    Effect.gen(function* () {
      const local = "http://127.0.0.1:4000"
      const reply = at(`${local}/.well-known/oauth-authorization-server`, () =>
        Response.json({ ...metadata, issuer: local, authorization_endpoint: `${local}/auth` })
      )
      expect((yield* go(scripted(reply), { ...options, issuer: local })).host).toBe("127.0.0.1:4000")
    })
  )

  it.effect("one that cannot be reached, or is overloaded, may work another time", () =>
    Effect.gen(function* () {
      const reject = () => Promise.reject(new TypeError("Failed to fetch"))
      const long = () => new Response("x".repeat(300_000))
      for (const reply of [
        reject,
        () => new Response("", { status: 503 }),
        () => new Response("", { status: 429 }),
        long
      ]) {
        expect((yield* failure(options, reply)).error).toMatchObject({ _tag: "ServerUnreachable" })
      }
    })
  )
})

describe("a page that cannot sign in says why", () => {
  it.effect("without HTTPS, without storage, with an address of another origin for the way back", () =>
    Effect.gen(function* () {
      const denied = () => {
        throw new DOMException("denied", "SecurityError")
      }
      const insecure = scripted(undefined, { isSecure: () => false })
      const storageless = scripted(undefined, { storage: denied })
      const why = (tab: ReturnType<typeof scripted>, settings: Options = options) =>
        Effect.flip(makeIn(tab.page, settings).signIn)
      expect(yield* why(insecure)).toMatchObject({ _tag: "PageUnfit", why: "insecure" })
      expect(yield* why(storageless)).toMatchObject({ _tag: "PageUnfit", why: "storage" })
      for (const redirectUri of ["https://evil.example/", "/callback", ""]) {
        expect(yield* why(scripted(), { ...options, redirectUri })).toMatchObject({
          _tag: "PageUnfit",
          why: "redirectUri"
        })
      }
    })
  )
})
