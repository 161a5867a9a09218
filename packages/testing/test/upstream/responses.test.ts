import { describe, expect, it } from "@effect/vitest"
import { key, type TestGateway } from "@tollgate/testing"
import { askServed } from "@tollgate/testing/hostile/askServed"
import { providerAt, Served, servedTo } from "@tollgate/testing/hostile/Served"
import { calls, reservedTotal } from "@tollgate/testing/models"
import { httpUpstream } from "@tollgate/testing/upstream"
import type { FixedProvider } from "@tollgate/gateway/upstream/Route"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { request } from "node:http"

const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 }
const output = [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] }]
const answer = JSON.stringify({ id: "r", object: "response", status: "completed", error: null, output, usage })

const secret = "sk-the-operators-own-credential"
const credential = { header: "authorization", value: Redacted.make(`Bearer ${secret}`) }

/** A gateway before an upstream that answers every call with this. */
const withUpstream = <A, E>(
  body: string,
  type: string,
  provider: Partial<FixedProvider>,
  use: (received: ReadonlyArray<{ readonly body: string }>) => Effect.Effect<A, E, Served | TestGateway>
) =>
  Effect.gen(function* () {
    const { port, received } = yield* httpUpstream((res) => res.writeHead(200, { "content-type": type }).end(body))
    const providers = { responses: providerAt(port, { protocol: "openai", credential, ...provider }) }
    return yield* Effect.provide(use(received), servedTo(providers))
  }).pipe(Effect.scoped)

const ask = (more: object, headers: Readonly<Record<string, string>> = {}) =>
  askServed("/v1/responses", JSON.stringify({ model: "sandbox", input: "Why?", ...more }), {
    authorization: `Bearer ${key}`,
    ...headers
  })

describe("responses", () => {
  it.live("are not stored upstream, and cost the tokens that are reported", () =>
    withUpstream(answer, "application/json", {}, (received) =>
      Effect.gen(function* () {
        expect((yield* ask({})).status).toBe(200)
        expect(JSON.parse(received[0]?.body ?? "{}")).toEqual({ model: "sandbox", input: "Why?", store: false })
        expect((yield* calls).map(({ charged, state }) => [state, charged])).toEqual([["settled", 64]])
      })
    )
  )

  it.live("that need state upstream are refused before anything is reserved or sent", () =>
    withUpstream(answer, "application/json", {}, (received) =>
      Effect.gen(function* () {
        for (const [field, value] of [
          ["background", true],
          ["store", "true"],
          ["prompt", { id: "pmpt_1" }]
        ] as const) {
          const refused = yield* ask({ [field]: value })
          expect(refused.status, field).toBe(400)
          expect(refused.json()).toMatchObject({
            error: { type: "invalid_request_error", param: expect.stringContaining(field) }
          })
        }
        expect(yield* calls).toEqual([])
        expect(received).toHaveLength(0)
      })
    )
  )

  it.live("with a tool that has no price are refused and leave nothing", () =>
    Effect.gen(function* () {
      const tools = [{ type: "web_search" }]
      yield* withUpstream(answer, "application/json", {}, (received) =>
        Effect.gen(function* () {
          const refused = yield* ask({ tools })
          expect(refused.json()).toMatchObject({ error: { code: "invalid_request", param: "tools.0" } })
          expect(refused.text).toContain("tools.web_search")
          expect(yield* calls).toEqual([])
          expect(yield* reservedTotal).toBe(0)
          expect(received).toHaveLength(0)
        })
      )
    })
  )

  it.live("get the bound of a capped call in their own field, whatever the upstream's is for chat", () =>
    withUpstream(answer, "application/json", { outputLimit: "max_tokens" }, (received) =>
      Effect.gen(function* () {
        expect((yield* ask({}, { "x-tollgate-max-price-usd": "0.01" })).status).toBe(200)
        const sent = JSON.parse(received[0]?.body ?? "{}") as Record<string, unknown>
        expect(sent["max_output_tokens"]).toBeGreaterThan(0)
        expect(sent).not.toHaveProperty("max_tokens")
      })
    )
  )

  it.live("that fail in a stream do not show the operator's credential", () => {
    const error = { code: "invalid_api_key", message: `Incorrect API key: ${secret}` }
    const failed = { type: "response.failed", sequence_number: 1, response: { status: "failed", error, output: [] } }
    const events = `data: {"type":"response.created","sequence_number":0,"response":{}}\n\ndata: ${JSON.stringify(failed)}\n\n`
    return withUpstream(events, "text/event-stream", {}, () =>
      Effect.gen(function* () {
        const { text } = yield* ask({ stream: true })
        expect(text).toContain("Incorrect API key")
        expect(text).not.toContain(secret)
        expect((yield* calls).map(({ charged, state }) => [state, charged])).toEqual([["released", 0]])
      })
    )
  })

  it.live("over a WebSocket are refused as any other method", () =>
    withUpstream(answer, "application/json", {}, () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* Served
        const status = yield* Effect.callback<number | undefined>((resume) => {
          const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" }
          const req = request(`${baseUrl}/v1/responses`, {
            headers: { ...upgrade, "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==", authorization: `Bearer ${key}` }
          })
          req.on("response", (res) => {
            res.resume()
            resume(Effect.succeed(res.statusCode))
          })
          req.on("upgrade", (_, socket) => {
            socket.destroy()
            resume(Effect.succeed(101))
          })
          req.on("error", () => resume(Effect.succeed(undefined)))
          req.end()
        })
        expect(status).toBe(405)
      })
    )
  )
})
