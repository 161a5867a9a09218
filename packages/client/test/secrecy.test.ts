import { describe, expect, it } from "@effect/vitest"
import { Client, rerank } from "@tollgate/client"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { DecodeError, HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { credential, fail, json, question, respond, scripted, Unsent } from "./scripted.ts"
import { shown } from "./shown.ts"

const cases: ReadonlyArray<readonly [string, Parameters<typeof scripted>[0]]> = [
  ["a refused connection", fail(new Unsent("ECONNREFUSED"))],
  ["a reset", fail(new Error("ECONNRESET"))],
  [
    "a body that breaks off",
    (request) =>
      Effect.succeed(
        HttpClientResponse.fromWeb(
          request,
          new Response(new ReadableStream({ pull: (c) => c.error(new Error("cut")) }))
        )
      )
  ],
  [
    "an error that holds request and response",
    (request) => {
      const response = HttpClientResponse.fromWeb(request, new Response("x"))
      return Effect.fail(new HttpClientError({ reason: new DecodeError({ request, response, description: "bad" }) }))
    }
  ],
  ["401", respond(401, `{"error":{"message":"No.","code":"invalid_credential"}}`, json)],
  ["500", respond(500, "<html>", { "content-type": "text/html" })],
  ["HTML", respond(200, "<html>", { "content-type": "text/html" })],
  ["another shape", respond(200, `{"results":5}`, json)],
  [
    "an answer that echoes the credential in headers",
    respond(500, "{}", {
      ...json,
      "set-cookie": `key=${credential}`,
      authorization: `Bearer ${credential}`,
      "x-api-key": credential
    })
  ]
]

describe("the credential is in no part of an error", () => {
  for (const [name, handler] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const { layer, sent } = scripted(handler)
        const exit = yield* Effect.exit(rerank(question).pipe(Effect.provide(layer)))
        expect(sent[0]?.request.headers.authorization).toBe(`Bearer ${credential}`)
        const cause = exit._tag === "Failure" ? exit.cause : Cause.empty
        expect(cause.reasons).toHaveLength(1)
        expect(shown(Cause.squash(cause))).not.toContain(credential)
        expect(Cause.pretty(cause)).not.toContain(credential)
        expect(inspect(exit, { depth: 20 }) + JSON.stringify(exit)).not.toContain(credential)
      })
    )
  }

  it.effect("a wrong input", () =>
    Effect.gen(function* () {
      const input = { ...question, query: "" }
      const error = yield* Effect.flip(rerank(input).pipe(Effect.provide(scripted(respond(200, "{}")).layer)))
      expect(error._tag).toBe("InputInvalid")
      expect(shown(error)).not.toContain(credential)
    })
  )

  it.effect("the text of the client", () =>
    Effect.gen(function* () {
      for (const given of [credential, Redacted.make(credential)]) {
        const { layer } = scripted(respond(200, "{}"), { credential: given })
        const client = yield* Client.pipe(Effect.provide(layer))
        expect(inspect(client, { depth: 20, showHidden: true })).not.toContain(credential)
        expect(JSON.stringify(client)).not.toContain(credential)
        expect(Redacted.value(yield* Effect.orDie(client.credential))).toBe(credential)
      }
    })
  )

  it("the check detects a credential in an error", () => {
    const error = new Error("x", { cause: { headers: { authorization: `Bearer ${credential}` } } })
    expect(shown(error)).toContain(credential)
  })
})
