import type { PriceList, PricePreview } from "@tollgate/contract/admin/Prices"
import { requests } from "@tollgate/testing/openapi/tour/requests"
import { beforeAll, describe, expect, it } from "vitest"
import { until } from "../commands/setup.ts"
import { operatedGateway } from "./setup.ts"

const { account, caller, post, read, send } = operatedGateway()

const videoPath = "/apis/v1/services/aigc/video-generation/video-synthesis"

/** Starts a task in the sandbox, and waits until it has ended. */
const runTask = async (prompt: string) => {
  const started = await caller().send({
    path: videoPath,
    headers: { "x-tollgate-async": "enable" },
    body: { model: "sandbox-video", input: { prompt } }
  })
  const { output } = started.json() as { output: { task_id: string } }
  await until(async () => {
    const polled = (await caller().send({ path: `/apis/v1/services/aigc/tasks/${output.task_id}` })).text
    return /SUCCEEDED|CANCELED/.test(polled)
  })
}

interface Section {
  models?: Record<string, unknown>
  operations: Record<string, unknown>
}

/** The section `prices` that sets the prices in force, with each amount multiplied. */
const sectionOf = ({ prices }: PriceList, factor: number): Section => {
  const times = (value: unknown): unknown => {
    if (typeof value === "string" && /^[\d.]+$/.test(value)) return String(Number((Number(value) * factor).toFixed(9)))
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, times(inner)]))
      : value
  }
  const operations: Record<string, unknown> = {}
  for (const { config, model, operation } of prices) {
    if (config === null) continue
    if (model === null) operations[operation] = times(config)
    else {
      const { models } = (operations[operation] ?? { models: {} }) as { models: object }
      operations[operation] = { models: { ...models, [model]: times(config) } }
    }
  }
  return { operations }
}

const inForce = () => read<PriceList>("/prices")
const preview = (prices: unknown, rest: object = {}) => post<PricePreview>("/prices/preview", { prices, ...rest })

beforeAll(async () => {
  await send("PATCH", `/accounts/${account()}`, { multiplier: "1.45" })
  const billed = requests().filter(({ operation: { id, price } }) => price.contract !== "free" && id !== "video.create")
  for (const { call } of billed) await caller().send(call)
  await caller().send({ path: "/v1/images/generations", body: { prompt: "A river", n: 3 } })
  await runTask("[task 0s] A river")
  await runTask("[task 0s] [task canceled half] A river")
})

describe("prices of the operator", () => {
  it("every price in force is listed, in words and as the file writes it", async () => {
    const { prices } = await inForce()
    const lineOf = (operation: string) => prices.find((line) => line.operation === operation)
    expect(lineOf("rerank")).toEqual({
      operation: "rerank",
      category: "rerank",
      model: null,
      contract: "per_token",
      words: "$0.05 / 1M tokens",
      config: { contract: "per_token", perMillion: "0.05" },
      upstreams: ["sandbox"]
    })
    expect(lineOf("chat.completions")).toMatchObject({
      model: "sandbox",
      contract: "model_tokens",
      words: expect.stringContaining("$1 in, $4 out / 1M tokens"),
      config: { input: "1", output: "4", cacheRead: "0.1", cacheWrite: "1.25" }
    })
    expect(lineOf("images.generate")?.config).toEqual({
      contract: "per_request",
      amount: "0.02",
      times: { field: "n", unit: "image", otherwise: 1 }
    })
    expect(lineOf("usage")).toMatchObject({ contract: "free", words: "free", config: "free" })
  })

  it("a preview of the prices in force finds exactly what was charged, for every kind of price", async () => {
    const list = await inForce()
    const shown = await preview({})
    const contractOf = (operation: string) => list.prices.find((line) => line.operation === operation)?.contract
    expect(new Set(shown.lines.map(({ operation }) => contractOf(operation)))).toEqual(
      new Set(["per_token", "model_tokens", "per_request", "response_count", "answer_field", "body_code", "per_task"])
    )
    for (const line of [...shown.lines, shown.totals]) {
      expect(line).toMatchObject({ not_computable: 0, value_after_micros_usd: line.value_before_micros_usd })
      expect(line.charged_after_micros_usd).toBe(line.charged_before_micros_usd)
    }
    const { balance_micros_usd: left } = await read<{ balance_micros_usd: number }>(`/accounts/${account()}`)
    expect(shown.totals.charged_before_micros_usd).toBe(105_000_000 - left)
    expect(shown.complete).toBe(true)
    // The list, written back as a section, is the same prices.
    expect({ ...(await preview(sectionOf(list, 1))), end_time: 0, start_time: 0 }).toEqual({
      ...shown,
      end_time: 0,
      start_time: 0
    })
  })

  it("doubled prices double the values", async () => {
    const doubled = await preview(sectionOf(await inForce(), 2))
    expect(doubled.totals.not_computable).toBe(0)
    for (const line of doubled.lines) {
      // A canceled task costs what its upstream reports, at any price; rounding is once for each call.
      if (line.operation === "video.create") continue
      const before = Number(line.value_before_micros_usd)
      const after = Number(line.value_after_micros_usd)
      expect(Math.abs(after - 2 * before), line.operation).toBeLessThanOrEqual(line.calls)
      expect(before, line.operation).toBeGreaterThan(0)
    }
  })

  it("calls that the record does not price are counted, and left out of the amounts", async () => {
    const shown = await preview({
      operations: {
        rerank: { contract: "per_request", amount: "0.5" },
        "images.generate": { amount: "0.02", variants: [{ where: { size: "small" }, amount: "0.01" }] }
      }
    })
    const lineOf = (operation: string) => shown.lines.find((line) => line.operation === operation)
    const rerank = lineOf("rerank")
    expect(rerank).toMatchObject({ not_computable: 0, value_after_micros_usd: 500_000 * (rerank?.calls ?? 0) })
    const images = lineOf("images.generate")
    expect(images).toMatchObject({
      not_computable: images?.calls,
      value_before_micros_usd: 0,
      value_after_micros_usd: 0
    })
  })

  it("only calls of the window count", async () => {
    const now = Math.floor(Date.now() / 1000)
    const before = await preview({}, { start_time: now - 7_200, end_time: now - 3_600 })
    expect(before).toEqual({
      start_time: now - 7_200,
      end_time: now - 3_600,
      complete: true,
      lines: [],
      totals: {
        calls: 0,
        not_computable: 0,
        value_before_micros_usd: 0,
        value_after_micros_usd: 0,
        charged_before_micros_usd: 0,
        charged_after_micros_usd: 0
      },
      changed: 0,
      changes: []
    })
  })

  it("a preview names the prices that differ, before and after", async () => {
    const { changed, changes } = await preview({ operations: { rerank: { perMillion: "0.08" } } })
    expect(changes).toEqual([
      {
        operation: "rerank",
        model: null,
        before: { words: "$0.05 / 1M tokens", config: { contract: "per_token", perMillion: "0.05" } },
        after: { words: "$0.08 / 1M tokens", config: { contract: "per_token", perMillion: "0.08" } }
      }
    ])
    expect(changed).toBe(1)
    const models = Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`m${i}`, { input: "1", output: "1" }]))
    const many = await preview({ models })
    expect(many.changes).toHaveLength(1_000)
    expect(many.changed).toBeGreaterThanOrEqual(1_200)
    expect(many.changes[0]).toMatchObject({ model: "m0", before: null })
  })

  it("a section that the reader refuses is answered with its reasons", async () => {
    const refused = async (body: unknown) => {
      const answer = await send("POST", "/prices/preview", body)
      return [answer.status, (answer.json() as { error: { message: string } }).error.message]
    }
    const [status, message] = await refused({ prices: { operations: { rerank: { perMillion: 1 }, rerankk: "free" } } })
    expect(status).toBe(400)
    expect(message).toContain("prices.operations.rerank.perMillion: expected")
    expect(message).toContain('prices.operations.rerankk: not a known key; did you mean "rerank"?')
    const now = Math.floor(Date.now() / 1000)
    for (const [body, reason] of [
      [{}, "prices"],
      [[], "object"],
      ["{", "JSON"],
      [{ prices: null }, "prices: expected an object"],
      [{ prices: {}, start: 1 }, "start"],
      [{ prices: {}, start_time: "1" }, "start_time"],
      [{ prices: {}, start_time: 1.5 }, "start_time"],
      [{ prices: {}, start_time: now, end_time: now - 1 }, "start_time must be before end_time"],
      [{ prices: {}, start_time: now - 8 * 86_400 }, "longer than 7 days"],
      [{ prices: {}, start_time: 1e15, end_time: 1e15 + 1 }, "seconds"]
    ] as const) {
      expect(await refused(body), JSON.stringify(body)).toEqual([400, expect.stringContaining(reason)])
    }
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`m${i}`, { input: "1", output: "1" }]))
    expect((await send("POST", "/prices/preview", { prices: { models: many } })).status).toBe(200)
    expect((await send("POST", "/prices/preview", { prices: "x".repeat(1_100_000) })).status).toBe(413)
    const { prices } = await inForce()
    expect(prices.find(({ model }) => model === "m1")).toBeUndefined()
  })
})
