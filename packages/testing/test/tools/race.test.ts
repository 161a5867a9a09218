import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { pausedUpstream, until } from "@tollgate/testing/hostile/pausedUpstream"
import { providerAt, servedTo } from "@tollgate/testing/hostile/Served"
import { calls, reservedTotal } from "@tollgate/testing/models"
import { TestGateway } from "@tollgate/testing/TestGateway"
import { callTool, type ToolResult } from "@tollgate/testing/tools/agent"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import type { ServerResponse } from "node:http"

/** Each call costs 10,000 micro-USD. */
const snapshot = {
  operation_id: "financial.metrics_snapshot",
  arguments: { ticker: "ACME" },
  max_price_usd: 0.01
}

const answer = (res: ServerResponse) =>
  void res.writeHead(200, { "content-type": "application/json" }).end('{"snapshot":{"ticker":"ACME"}}')

const withUpstream = <A, E, R>(test: (upstream: Effect.Success<typeof pausedUpstream>) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const upstream = yield* pausedUpstream
    return yield* Effect.provide(
      test(upstream),
      servedTo({ [snapshot.operation_id]: providerAt(upstream.port, { protocol: "json" }) })
    )
  }).pipe(Effect.scoped)

const codeOf = ({ content }: ToolResult) => (content["error"] as { code: string } | undefined)?.code

describe("many calls at once", () => {
  it.live("on a key whose budget pays for one: exactly one is charged", () =>
    withUpstream((upstream) =>
      Effect.gen(function* () {
        const { account, accounts } = yield* TestGateway
        const { value } = yield* accounts.createKey(account, { label: "one", budget: micro(10_000n) })
        const headers = { authorization: `Bearer ${Redacted.value(value)}` }
        const ended: Array<ToolResult> = []
        const all = yield* Effect.forEach(Array.from({ length: 100 }), () =>
          Effect.forkChild(Effect.map(callTool("use", snapshot, headers), (result) => void ended.push(result)))
        )
        yield* upstream.arrived(1)
        yield* until(() => ended.length === 99)
        yield* upstream.answer(answer)
        yield* Fiber.joinAll(all)
        expect(upstream.received).toHaveLength(1)
        expect(ended.filter(({ isError }) => !isError)).toHaveLength(1)
        expect(new Set(ended.map(codeOf))).toEqual(new Set([undefined, "balance_reserved"]))
        expect((yield* calls).filter(({ charged }) => charged > 0).map(({ charged }) => charged)).toEqual([10_000])
        expect(yield* reservedTotal).toBe(0)
      })
    )
  )
})

describe("batch_use", () => {
  const batch = (count: number, max_total_usd: number) => {
    const calls = Array.from({ length: count }, (_, i) => ({ ...snapshot, arguments: { ticker: `T${i}` } }))
    return callTool("batch_use", { calls, max_total_usd })
  }

  it.live("runs a few calls at a time, and never more than the total pays for", () =>
    withUpstream((upstream) =>
      Effect.gen(function* () {
        const running = yield* Effect.forkChild(batch(20, 1))
        yield* upstream.arrived(5)
        expect(upstream.received).toHaveLength(5)
        for (let i = 1; i < 4; i++) {
          yield* upstream.answer(answer)
          yield* upstream.arrived(5 * (i + 1))
        }
        yield* upstream.answer(answer)
        const { content } = yield* Fiber.join(running)
        expect(content).toMatchObject({ succeeded: 20, failed: 0, charged_usd: "0.2", held_usd: "0" })
      })
    )
  )

  it.live("refuses what the total does not cover, in the place of the call", () =>
    withUpstream((upstream) =>
      Effect.gen(function* () {
        const running = yield* Effect.forkChild(batch(5, 0.029))
        yield* upstream.arrived(2)
        yield* upstream.answer(answer)
        const result = yield* Fiber.join(running)
        expect(result.content).toMatchObject({
          succeeded: 2,
          failed: 3,
          charged_usd: "0.02",
          results: [{ status: 200 }, { status: 200 }, ...[2, 3, 4].map(() => ({ error: { code: "over_total" } }))]
        })
        expect(upstream.received).toHaveLength(2)
        expect((yield* calls).map(({ charged }) => charged)).toEqual([10_000, 10_000])
      })
    )
  )

  it.live("gives back what a call was not charged, and keeps the cap of one whose outcome is unknown", () =>
    withUpstream((upstream) =>
      Effect.gen(function* () {
        const running = yield* Effect.forkChild(batch(4, 0.02))
        yield* upstream.arrived(2)
        // The first costs nothing; whether the second ran is not known.
        yield* upstream.answer((res) =>
          res.req.url?.includes("T0") === true ? void res.writeHead(404).end() : void res.destroy()
        )
        yield* upstream.arrived(3)
        yield* upstream.answer(answer)
        const { content } = yield* Fiber.join(running)
        expect(content).toMatchObject({
          charged_usd: "0.01",
          held_usd: "0.01",
          results: [
            { status: 404, cost: { state: "none" } },
            { error: { outcome: "unknown" }, cost: { state: "unknown" } },
            { status: 200, cost: { usd: "0.01" } },
            { error: { code: "over_total" } }
          ]
        })
        expect(upstream.received).toHaveLength(3)
      })
    )
  )
})
