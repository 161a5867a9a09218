import { describe, expect, it } from "@effect/vitest"
import { calls } from "@tollgate/testing/models"
import { post, sellingTools } from "@tollgate/testing/mcp/soldTools"
import { toolUpstream, type ToolReply } from "@tollgate/testing/mcp/toolUpstream"
import { callTool } from "@tollgate/testing/tools/agent"
import * as Effect from "effect/Effect"

const large = "x".repeat(1_000_000)

const messageOf = (text: string): string => {
  const { error, message } = JSON.parse(text) as { error?: { message: string }; message?: string }
  return error?.message ?? message ?? ""
}

/** Sells a tool that answers like this. */
const selling = <A, E, R>(call: (reply: ToolReply) => void, test: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const server = yield* toolUpstream({ tools: { echo: { call } } })
    return yield* Effect.provide(test, sellingTools([{ id: "tools.echo", tool: "echo" }], [server.port]))
  }).pipe(Effect.scoped)

describe("a tool of another server that answers wrongly", () => {
  it.live.each([
    ["no content", {}],
    ["only structured content", { structuredContent: { high: 21 } }],
    ["content that is no list", { content: "Sunny" }],
    ["content that is no list, in a large result", { content: large }],
    ["no content, in a large result", { structuredContent: { content: [large] } }],
    ["a result that is a list", [{ content: [] }]]
  ] as const)("is not charged: %s", ([, result]) =>
    selling(
      (reply) => reply.result(result),
      Effect.gen(function* () {
        const answer = yield* post("tools.echo", {})
        expect(answer.status).toBe(503)
        expect(messageOf(answer.text)).toContain("without content")
        expect(answer.text).not.toContain("Sunny")
        expect((yield* calls).map(({ charged, state }) => [state, charged])).toEqual([["released", 0]])
      })
    )
  )

  it.live("is charged if its list of content is empty, also in a large result", () =>
    selling(
      ({ arguments: { size }, result }) => result({ structuredContent: "x".repeat(Number(size)), content: [] }),
      Effect.gen(function* () {
        for (const size of [1, 1_000_000]) {
          expect(yield* post("tools.echo", { size })).toMatchObject({ status: 200, cost: "2000" })
        }
      })
    )
  )

  const message =
    (body: string, type = "application/json") =>
    ({ response }: ToolReply) =>
      void response.writeHead(200, { "content-type": type }).end(body)

  it.live.each([
    ["the id of another call", message('{"jsonrpc":"2.0","id":99999,"result":{"content":[]}}')],
    ["a page of HTML", message("<html>Sunny</html>", "text/html")],
    ["HTML that is called JSON", message("<html>Sunny</html>")],
    ["JSON of its own", message('{"weather":"Sunny"}')],
    ["half an answer", message('{"jsonrpc":"2.0","id":')]
  ] as const)("is not charged, and its outcome is unknown: %s", ([, call]) =>
    selling(
      call,
      Effect.gen(function* () {
        const answer = yield* post("tools.echo", {})
        expect(answer.status).toBe(503)
        expect(messageOf(answer.text)).toContain("result of MCP")
        expect(messageOf(answer.text)).toContain("whether the call was executed is not known")
        expect(answer.text).not.toContain("Sunny")
        expect((yield* calls).map(({ charged, state }) => [state, charged])).toEqual([["unknown", 0]])
      })
    )
  )

  it.live("does not keep the next call from its answer", () => {
    let isFirst = true
    return selling(
      (reply) => {
        if (isFirst) message("<html></html>", "text/html")(reply)
        else reply.result({ content: [] })
        isFirst = false
      },
      Effect.gen(function* () {
        expect((yield* post("tools.echo", {})).status).toBe(503)
        expect(yield* post("tools.echo", {})).toMatchObject({ status: 200, cost: "2000" })
      })
    )
  })
})

describe("a cap on a call of a tool", () => {
  const use = (more: object) => callTool("use", { operation_id: "tools.echo", arguments: {}, ...more })
  let ran = 0
  const sunny = ({ result }: ToolReply) => {
    ran++
    result({ content: [{ type: "text", text: "Sunny" }] })
  }

  it.live("does not refuse the stored answer of the same idempotency key, which is free", () =>
    selling(
      sunny,
      Effect.gen(function* () {
        ran = 0
        expect((yield* use({ max_price_usd: 1, idempotency_key: "k" })).content).toMatchObject({
          cost: { usd: "0.002" }
        })
        for (const max_price_usd of [0.001, 0.000000001, 0]) {
          const again = yield* use({ max_price_usd, idempotency_key: "k" })
          expect(again.isError, String(max_price_usd)).toBe(false)
          expect(again.content).toMatchObject({ replayed: true, cost: { micros_usd: 0 } })
        }
        expect((yield* use({ max_price_usd: 0.001 })).content).toMatchObject({ error: { code: "over_cap" } })
        expect(ran).toBe(1)
      })
    )
  )

  it.live("refuses a repeat of a call that failed, whose key is free again, and nothing runs", () => {
    let isFirst = true
    ran = 0
    return selling(
      (reply) => {
        ran++
        if (isFirst) reply.error(-32602, "not these")
        else reply.result({ content: [] })
        isFirst = false
      },
      Effect.gen(function* () {
        expect((yield* use({ max_price_usd: 1, idempotency_key: "k" })).isError).toBe(true)
        const again = yield* use({ max_price_usd: 0.001, idempotency_key: "k" })
        expect(again.content).toMatchObject({ error: { code: "over_cap" }, cost: { state: "none" } })
        expect(ran).toBe(1)
        const paid = yield* use({ max_price_usd: 1, idempotency_key: "k" })
        expect(paid.content).toMatchObject({ cost: { usd: "0.002" } })
        expect(ran).toBe(2)
      })
    )
  })

  it.live.each(["0.00200000000000000000001", 2e-23, "0.0000000001", 1e-10, `0.${"0".repeat(300)}1`])(
    "that has more than nine decimals is refused, and nothing runs: %s",
    (max_price_usd) =>
      selling(
        sunny,
        Effect.gen(function* () {
          ran = 0
          const refused = yield* use({ max_price_usd })
          expect(refused.content["error"]).toMatchObject({ code: "invalid_arguments", outcome: "not executed" })
          expect(ran).toBe(0)
          const overHttp = yield* post("tools.echo", {}, { "x-tollgate-max-price-usd": String(max_price_usd) })
          expect([overHttp.status, ran]).toEqual([400, 0])
        })
      )
  )
})
