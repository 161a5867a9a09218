import { describe, expect, it } from "@effect/vitest"
import { BillingLog, Sandbox } from "@tollgate/sandbox"
import { NodeHttpServer } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"

const callback = "http://gateway.invalid/apis/v1/social_a/oauth_callback"

const layer = NodeHttpServer.layer({ host: "127.0.0.1", port: 0 }).pipe(Layer.merge(BillingLog.layerMemory()))

/** Opens the platform's page of a running sandbox, as a link in a mail would. */
const open = (redirectUri: string, decision?: string) =>
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const query = new URLSearchParams({
      client_id: "tollgate",
      redirect_uri: redirectUri,
      state: "s",
      code_challenge: "c".repeat(43),
      code_challenge_method: "S256",
      ...(decision === undefined ? {} : { decision })
    })
    const url = `${HttpServer.formatAddress(address)}/platform/authorize?${query.toString()}`
    const answer = yield* Effect.promise(() => fetch(url, { redirect: "manual" }))
    const text = yield* Effect.promise(() => answer.text())
    return { status: answer.status, location: answer.headers.get("location"), text }
  })

const elsewhere = [
  "https://evil.example/collect",
  "//evil.example",
  `${callback}.evil.example`,
  `${callback}/../../evil`,
  `${callback}?next=https://evil.example`,
  callback.replace("gateway.invalid", "gateway.invalid@evil.example"),
  callback.replace("gateway.invalid", "GATEWAY.invalid"),
  callback.replace("http:", "https:"),
  `${callback}#`,
  ` ${callback}`
]

describe("the sandbox's platform page", () => {
  it.live("sends a browser to the gateway's callback and nowhere else", () =>
    Effect.gen(function* () {
      yield* HttpServer.serveEffect(yield* Sandbox.make({ redirectUri: callback }))
      for (const address of elsewhere) {
        for (const decision of [undefined, "approve", "deny"]) {
          const refused = yield* open(address, decision)
          expect([refused.status, refused.location], address).toEqual([400, null])
          expect(refused.text).not.toContain("evil")
        }
      }
      expect((yield* open(callback)).status).toBe(200)
      for (const decision of ["approve", "deny"]) {
        const sent = yield* open(callback, decision)
        expect([sent.status, sent.location?.split("?")[0]]).toEqual([302, callback])
      }
    }).pipe(Effect.provide(layer))
  )

  it.live("redirects nobody if no callback is registered", () =>
    Effect.gen(function* () {
      yield* HttpServer.serveEffect(yield* Sandbox.make())
      const refused = yield* open(callback, "approve")
      expect([refused.status, refused.location]).toEqual([400, null])
    }).pipe(Effect.provide(layer))
  )
})
