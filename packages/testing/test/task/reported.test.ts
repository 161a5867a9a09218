import { describe, expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import type { PerTask } from "@tollgate/contract/price/contracts/perTask"
import type { Price } from "@tollgate/contract/price/Price"
import { WatchSettings } from "@tollgate/gateway/call/task/WatchedTask"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { clean, leftOver } from "@tollgate/testing/hostile/evidence"
import { calls, priced } from "@tollgate/testing/models"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const bearer = { authorization: `Bearer ${key}`, "x-tollgate-async": "enable" }

const soon = Layer.succeed(WatchSettings, {
  firstMillis: 1,
  maxMillis: 5,
  concurrency: 1,
  notFoundMillis: 1,
  giveUpMillis: 3_600_000,
  keptMillis: 3_600_000
})

const bySecond: PerTask = {
  contract: "per_task",
  amount: usd("0.10"),
  times: {
    field: ["parameters", "duration"],
    reported: ["usage", "seconds"],
    unit: "second",
    otherwise: 5
  },
  variants: [
    { amount: usd("0.05"), where: [{ field: ["parameters", "resolution"], values: ["480P", 480] }] },
    { amount: usd("0.10"), where: [{ field: ["parameters", "resolution"], values: ["720P", 720, null] }] }
  ],
  reported: [{ field: ["parameters", "resolution"], at: ["usage", "SR"] }]
}

/** Of any size. */
const cheaperSecond: PerTask = {
  contract: "per_task",
  amount: usd("0.04"),
  times: { reported: ["usage", "seconds"], unit: "second", otherwise: 5 }
}

const fixedTask: PerTask = { contract: "per_task", amount: usd("0.7") }

const byToken: PerTask = {
  contract: "per_task",
  amount: usd("0.000002"),
  times: { reported: ["usage", "total_tokens"], unit: "token", otherwise: 500_000 }
}

/** Runs a task to its end, and returns what it cost and what the upstream got. */
const run = Effect.fnUntraced(function* (
  price: PerTask,
  parameters: object | undefined,
  usage: unknown,
  headers: Readonly<Record<string, string>> = {},
  /** What the upstream charges. */
  cost?: Price
) {
  const upstream = yield* httpUpstream((res, { method }) => {
    res.setHeader("content-type", "application/json")
    res.end(
      JSON.stringify({
        output: { task_id: "t", task_status: method === "POST" ? "PENDING" : "SUCCEEDED", video_url: "https://x" },
        ...(method === "POST" ? {} : { usage })
      })
    )
  })
  const operations = priced.map((operation): Operation =>
    operation.id === "video.create" ? { ...operation, price } : operation
  )
  const gateway = TestGateway.layer({
    operations,
    providers: {
      "video.create": {
        ...providerAt(upstream.port),
        protocol: "task",
        ...(cost === undefined ? {} : { prices: { of: () => cost } })
      }
    }
  }).pipe(Layer.provide(soon))
  return yield* Effect.gen(function* () {
    const path = "/apis/v1/services/aigc/video-generation/video-synthesis"
    const body = JSON.stringify({ model: "m", input: { prompt: "a river" }, parameters })
    const created = yield* ask("POST", path, { ...bearer, ...headers }, body)
    expect(created.status).toBe(200)
    let [call] = yield* calls
    const { reserved } = call!
    while (call?.state === "running") {
      yield* Effect.sleep("2 millis")
      call = (yield* calls)[0]
    }
    expect(yield* leftOver).toEqual(clean)
    return {
      reserved,
      charged: call?.charged,
      state: call?.cost_state,
      cost: call?.cost_nano,
      sent: (JSON.parse(upstream.received[0]!.body) as { readonly parameters?: unknown }).parameters
    }
  }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(gateway))))
})

describe("a task that is priced by what it reports", () => {
  it.live.each<[string, PerTask, object | undefined, unknown, number, number, string]>([
    [
      "seconds and size",
      bySecond,
      { duration: 5, resolution: "720P" },
      { seconds: 5, SR: 720 },
      500_000,
      500_000,
      "settled"
    ],
    ["fewer seconds", bySecond, { duration: 5 }, { seconds: 3, SR: 720 }, 500_000, 300_000, "settled"],
    ["more seconds", bySecond, { duration: 5 }, { seconds: 8, SR: 720 }, 500_000, 800_000, "settled"],
    ["a part of a second", bySecond, {}, { seconds: 5.04, SR: 720 }, 500_000, 504_000, "settled"],
    ["seconds in text", bySecond, {}, { seconds: "2.5", SR: 720 }, 500_000, 250_000, "settled"],
    ["another size", bySecond, { resolution: "720P" }, { seconds: 5, SR: 480 }, 500_000, 250_000, "settled"],
    [
      "a size that nobody knows",
      bySecond,
      { resolution: "480P" },
      { seconds: 5, SR: 9 },
      250_000,
      250_000,
      "estimated"
    ],
    ["nothing", bySecond, { duration: 4 }, undefined, 400_000, 400_000, "estimated"],
    ["negative seconds", bySecond, { duration: 4 }, { seconds: -1, SR: 720 }, 400_000, 400_000, "estimated"],
    ["no seconds at all", bySecond, { duration: 4 }, { seconds: 0, SR: 720 }, 400_000, 400_000, "estimated"],
    ["impossible seconds", bySecond, { duration: 4 }, { seconds: 1e30, SR: 720 }, 400_000, 400_000, "estimated"],
    ["an object", bySecond, { duration: 4 }, { seconds: { a: 1 }, SR: [] }, 400_000, 400_000, "estimated"],
    ["tokens", byToken, undefined, { total_tokens: 123_456 }, 1_000_000, 246_912, "settled"],
    ["no tokens", byToken, undefined, {}, 1_000_000, 1_000_000, "estimated"]
  ])("%s", ([, price, parameters, usage, reserved, charged, state]) =>
    Effect.map(run(price, parameters, usage), (seen) => expect(seen).toMatchObject({ reserved, charged, state }))
  )

  it.live.each<[string, PerTask, Price | undefined, number, number | null]>([
    ["by its own price for the same report", bySecond, cheaperSecond, 300_000, 120_000_000],
    ["a fixed amount", bySecond, { contract: "per_task", amount: usd("0.5") }, 300_000, 500_000_000],
    ["by its report, though the task is sold at a fixed price", fixedTask, cheaperSecond, 700_000, 120_000_000],
    ["nothing", fixedTask, { contract: "free" }, 700_000, 0],
    ["an amount that nobody knows", bySecond, undefined, 300_000, null],
    ["an amount that is not set", bySecond, { contract: "per_task", amount: "pending" }, 300_000, null]
  ])("the upstream charges %s", ([, price, cost, charged, expected]) =>
    Effect.map(run(price, { duration: 5 }, { seconds: 3, SR: 720 }, {}, cost), (seen) =>
      expect([seen.charged, seen.cost]).toEqual([charged, expected])
    )
  )

  it.live("its cap is kept", () =>
    Effect.map(
      run(bySecond, { duration: 5 }, { seconds: 50, SR: 720 }, { "x-tollgate-max-price-usd": "0.6" }),
      (seen) => expect(seen).toMatchObject({ reserved: 500_000, charged: 600_000 })
    )
  )
})

describe("what a price assumes", () => {
  it.live.each<[string, PerTask, object | null | undefined, unknown]>([
    ["a field that is left out", bySecond, undefined, { duration: 5 }],
    ["beside others", bySecond, { size: 1 }, { size: 1, duration: 5 }],
    ["in place of null", bySecond, { duration: null }, { duration: 5 }],
    ["and not what the request says", bySecond, { duration: 3 }, { duration: 3 }],
    ["and not what is only reported", byToken, { a: 1 }, { a: 1 }]
  ])("is sent upstream: %s", ([, price, parameters, sent]) =>
    Effect.map(run(price, parameters ?? undefined, { seconds: 5, SR: 720 }), (seen) => expect(seen.sent).toEqual(sent))
  )
})
