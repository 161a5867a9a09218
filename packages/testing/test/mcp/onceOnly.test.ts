import { describe, expect, it } from "@effect/vitest"
import { post, sellingTools } from "@tollgate/testing/mcp/soldTools"
import { toolUpstream, type ToolReply } from "@tollgate/testing/mcp/toolUpstream"
import { calls } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const done = { content: [] }
const sold = [{ id: "tools.work", tool: "work", replay: "create" as const }]
const ping = `event: message\ndata: {"jsonrpc":"2.0","id":7,"method":"ping"}\n\n`

/** Asks the gateway something while the tool runs, and ends after the gateway has answered. */
const asking = ({ response }: ToolReply) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.write(ping)
}

describe("a tool that may have run is not called again", () => {
  for (const status of [400, 401, 404, 429] as const) {
    it.live(`if the server refuses the gateway's reply to its question with ${status}`, () =>
      Effect.gen(function* () {
        let ran = 0
        const options = {
          tools: { work: { call: (reply: ToolReply) => (ran++, asking(reply)) } },
          before: ({ method }: { readonly method?: string }, response: ToolReply["response"]) =>
            method === undefined && (response.writeHead(status).end(), true)
        }
        const [one, two] = [yield* toolUpstream(options), yield* toolUpstream(options)]
        yield* Effect.gen(function* () {
          const answer = yield* post("tools.work", {})
          expect([answer.status, ran]).toEqual([503, 1])
          expect((yield* calls).map(({ state }) => state)).toEqual(["unknown"])
        }).pipe(Effect.provide(sellingTools(sold, [one.port, two.port])))
      }).pipe(Effect.scoped)
    )
  }

  it.live("if the server reports the tool's own failure with 400", () =>
    Effect.gen(function* () {
      let ran = 0
      const server = yield* toolUpstream({
        tools: {
          work: {
            call: ({ response }) => {
              ran++
              response.writeHead(400, { "content-type": "application/json" })
              response.end(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the payment was refused"}}`)
            }
          }
        }
      })
      yield* Effect.gen(function* () {
        expect([(yield* post("tools.work", {})).status, ran]).toEqual([503, 1])
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )
})

it.live("a caller's header does not replace the credential that the gateway calls a tool with", () =>
  Effect.gen(function* () {
    const server = yield* toolUpstream({ tools: { work: { call: ({ result }) => result(done) } } })
    const credential = { header: "X-Token", value: Redacted.make("the gateway's") }
    yield* Effect.gen(function* () {
      yield* post("tools.work", {}, { "x-token": "the caller's", "x-fixed": "the caller's" })
      for (const { headers } of server.received) {
        expect([headers["x-token"], headers["x-fixed"]]).toEqual(["the gateway's", "a"])
      }
    }).pipe(
      Effect.provide(
        sellingTools([{ id: "tools.work", tool: "work", forwardedHeaders: ["x-token", "x-fixed"] }], [server.port], {
          credential,
          headers: { "x-fixed": "a" }
        })
      )
    )
  }).pipe(Effect.scoped)
)
