import { describe, expect, it } from "@effect/vitest"
import { key } from "@tollgate/testing"
import { Target } from "@tollgate/testing/hardening/target"
import { wire } from "@tollgate/testing/hardening/wire"
import { type Answer, ask, question } from "@tollgate/testing/ask"
import { gatewayTo } from "@tollgate/testing/hostile/stockSdks"
import { streams } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"

const bearer = { authorization: `Bearer ${key}` }

const answered = (contentType: string | undefined, body = "<script>alert(document.domain)</script>") =>
  Effect.gen(function* () {
    const { layer } = yield* gatewayTo((res) =>
      res.writeHead(404, contentType === undefined ? {} : { "content-type": contentType }).end(body)
    )
    return yield* Effect.provide(ask("POST", "/v1/rerank", bearer, question), layer)
  }).pipe(Effect.scoped)

const policy = ({ headers }: Answer) => headers["content-security-policy"]

describe("an answer of an upstream, opened in a browser", () => {
  const active = [
    "text/html",
    "text/html; charset=utf-8",
    "application/xhtml+xml",
    "image/svg+xml",
    "text/xml",
    "application/xml",
    "application/pdf",
    "multipart/x-mixed-replace; boundary=x",
    "application/json, text/html",
    "APPLICATION/JSON; x=text/html",
    "nonsense",
    undefined
  ]
  for (const contentType of active) {
    it.live(`${contentType ?? "without a type"} cannot run as the gateway's origin`, () =>
      Effect.gen(function* () {
        const answer = yield* answered(contentType)
        expect(answer.status).toBe(404)
        expect(policy(answer)).toMatch(/^sandbox;/)
        expect(answer.headers["x-content-type-options"]).toBe("nosniff")
      })
    )
  }

  it.live("JSON and events are text in any case", () =>
    Effect.gen(function* () {
      const answer = yield* answered("application/json")
      expect(policy(answer)).toBeUndefined()
      expect(answer.headers["x-content-type-options"]).toBe("nosniff")
    })
  )
})

describe("x-content-type-options: nosniff", () => {
  it.live("is on answers, streams, refusals and pages alike", () =>
    Effect.gen(function* () {
      const { layer } = yield* gatewayTo((res) =>
        res.writeHead(200, { "content-type": "text/event-stream" }).end("data: [DONE]\n\n")
      )
      const style = streams.openai
      const all = yield* Effect.all({
        stream: ask("POST", style.path, style.headers, style.body("Why?", {})),
        refused: ask("POST", "/v1/rerank", bearer, "{"),
        missing: ask("POST", "/v1/rerank", {}, question),
        notFound: ask("GET", "/nowhere", bearer),
        preflight: ask("OPTIONS", "/v1/rerank", { origin: "https://shop.example" }),
        version: ask("GET", "/api/contracts/version"),
        linked: ask("GET", "/apis/v1/social_a/oauth_callback?state=x&code=y")
      }).pipe(Effect.provide(layer))
      for (const [name, { headers }] of Object.entries(all)) {
        expect(headers["x-content-type-options"], name).toBe("nosniff")
      }
      expect(policy(all.linked)).toMatch(/^default-src 'none'; style-src 'unsafe-inline'/)
      expect(policy(all.linked)).not.toContain("script")
    }).pipe(Effect.scoped)
  )

  it.live("is on the answers to what is no request", () =>
    Effect.gen(function* () {
      const { port } = yield* Target
      for (const text of ["GET / HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n"]) {
        const client = yield* wire(port)
        client.send(text)
        const [answer] = yield* client.closed
        expect([answer?.status, answer?.headers["x-content-type-options"]], text).toEqual([400, "nosniff"])
      }
    }).pipe(Effect.scoped, Effect.provide(Target.layer()))
  )
})

describe("a header of the upstream", () => {
  it.live("cannot loosen what a browser may do", () =>
    Effect.gen(function* () {
      const { layer } = yield* gatewayTo((res) =>
        res
          .writeHead(404, {
            "content-type": "text/html",
            "content-security-policy": "script-src *",
            "x-content-type-options": "sniff",
            refresh: "0; url=https://evil.example",
            link: "<https://evil.example/x.css>; rel=stylesheet"
          })
          .end("<p>")
      )
      const answer = yield* Effect.provide(ask("POST", "/v1/rerank", bearer, question), layer)
      expect(policy(answer)).toMatch(/^sandbox;/)
      expect(JSON.stringify(answer.headers)).not.toMatch(/evil|"sniff|script-src/)
    }).pipe(Effect.scoped)
  )
})

describe("an upstream's own x-should-retry", () => {
  it.live("reaches the SDK", () =>
    Effect.gen(function* () {
      const { layer } = yield* gatewayTo((res) => res.writeHead(500, { "x-should-retry": "false" }).end("{}"))
      const answer = yield* Effect.provide(ask("POST", "/v1/rerank", bearer, question), layer)
      expect([answer.status, answer.headers["x-should-retry"]]).toEqual([500, "false"])
    }).pipe(Effect.scoped)
  )
})

describe("an operation that creates something", () => {
  it.live("says not to retry the upstream's 500", () =>
    Effect.gen(function* () {
      const { layer } = yield* gatewayTo((res, { url }) =>
        res.writeHead(500, url.includes("video") ? { "x-should-retry": "true" } : {}).end("{}")
      )
      const create = yield* ask(
        "POST",
        "/apis/v1/services/aigc/video-generation/video-synthesis",
        { ...bearer, "x-tollgate-async": "enable" },
        JSON.stringify({ model: "sandbox-video", input: { prompt: "a river" } })
      ).pipe(Effect.provide(layer))
      expect([create.status, create.headers["x-should-retry"]]).toEqual([500, "false"])
      const repeatable = yield* Effect.provide(ask("POST", "/v1/rerank", bearer, question), layer)
      expect([repeatable.status, repeatable.headers["x-should-retry"]]).toEqual([500, undefined])
    }).pipe(Effect.scoped)
  )
})
