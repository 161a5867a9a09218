import { describe, expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { clean, leftOver } from "@tollgate/testing/hostile/evidence"
import { calls, priced } from "@tollgate/testing/models"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import { WatchSettings } from "@tollgate/gateway/call/task/WatchedTask"
import type { Provider } from "@tollgate/gateway/upstream/Provider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const bearer = { authorization: `Bearer ${key}`, "x-tollgate-async": "enable" }
const create = JSON.stringify({ model: "m", input: { prompt: "a river" } })

const soon = Layer.succeed(WatchSettings, {
  firstMillis: 1,
  maxMillis: 5,
  concurrency: 1,
  notFoundMillis: 1,
  giveUpMillis: 3_600_000,
  keptMillis: 3_600_000
})

/** Creates a task that ends as the upstream says, and polls it twice after its end. */
const runTask = Effect.fnUntraced(function* (
  end: string,
  canceledCost?: Provider["canceledCost"],
  headers: Readonly<Record<string, string>> = {}
) {
  const upstream = yield* httpUpstream((res, { method }) => {
    res.setHeader("content-type", "application/json")
    res.end(method === "POST" ? '{"output":{"task_id":"t","task_status":"PENDING"}}' : end)
  })
  const gateway = TestGateway.layer({
    operations: priced,
    providers: {
      "video.create": {
        ...providerAt(upstream.port),
        protocol: "task",
        ...(canceledCost === undefined ? {} : { canceledCost })
      }
    }
  }).pipe(Layer.provide(soon))
  return yield* Effect.gen(function* () {
    const path = "/apis/v1/services/aigc/video-generation/video-synthesis"
    const created = yield* ask("POST", path, { ...bearer, ...headers }, create)
    const { output } = created.json() as { readonly output: { readonly task_id: string } }
    let state = "running"
    while (state === "running") {
      yield* Effect.sleep("2 millis")
      state = (yield* calls)[0]?.state ?? ""
    }
    const [call] = yield* calls
    const polls = []
    for (let i = 0; i < 2; i++) {
      const { headers, text } = yield* ask("GET", `/apis/v1/services/aigc/tasks/${output.task_id}`, bearer)
      expect(text).toContain(/"task_status":"(\w+)"/.exec(end)?.[0])
      polls.push([headers["x-tollgate-cost-state"], headers["x-tollgate-cost-micros-usd"]])
    }
    expect(yield* leftOver).toEqual(clean)
    return { created: created.headers["x-tollgate-cost-state"], charged: call?.charged, polls }
  }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(gateway))))
})

const ended = (status: string, rest = "", output = "") =>
  `{"output":{"task_id":"t","task_status":"${status}"${output}}${rest}}`

const shown = (state: string, micros: number) => ({
  created: "pending",
  charged: micros,
  polls: [
    [state, String(micros)],
    [state, String(micros)]
  ]
})

describe("every poll of a task that has ended shows what it cost", () => {
  it.live("SUCCEEDED: its price", () =>
    Effect.map(runTask(ended("SUCCEEDED", "", ',"video_url":"https://x"')), (seen) =>
      expect(seen).toEqual(shown("settled", 10_000))
    )
  )

  it.live("FAILED: nothing", () =>
    Effect.map(runTask(ended("FAILED")), (seen) => expect(seen).toEqual(shown("none", 0)))
  )
})

describe("a canceled task", () => {
  const usage = (cost: string) => `,"usage":{"cost":${cost}}`
  const inUsd = { path: ["usage", "cost"] }

  it.live.each<[string, string, Provider["canceledCost"], number]>([
    ["nothing without the setting, whatever is reported", usage("0.004"), undefined, 0],
    ["the amount that the upstream reports", usage("0.004"), inUsd, 4_000],
    ["an amount in text", usage('"0.0041"'), inUsd, 4_100],
    ["an amount that is no exact number of the computer", usage("0.0000015"), inUsd, 2],
    ["the reported units at their price", usage("2.5"), { ...inUsd, perUnit: usd("0.001") }, 2_500],
    ["more than its price if more is reported", usage("0.02"), inUsd, 20_000],
    ["nothing if nothing is reported", "", inUsd, 0],
    ["nothing if the amount is negative", usage("-0.004"), inUsd, 0],
    ["nothing if the amount is impossible", usage("1e30"), inUsd, 0],
    ["nothing if the field is no number", usage('{"usd":1}'), inUsd, 0]
  ])("costs %s", ([, rest, setting, micros]) =>
    Effect.map(runTask(ended("CANCELED", rest), setting), (seen) => expect(seen).toEqual(shown("settled", micros)))
  )

  it.live("costs its cap at most", () =>
    Effect.map(runTask(ended("CANCELED", usage("0.02")), inUsd, { "x-tollgate-max-price-usd": "0.015" }), (seen) =>
      expect(seen).toEqual(shown("settled", 15_000))
    )
  )
})
