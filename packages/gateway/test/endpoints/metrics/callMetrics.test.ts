import * as Catalogue from "@tollgate/contract/Catalogue"
import { micro, nano, usd } from "@tollgate/contract/Money"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { describe, expect, it } from "vitest"
import type { CallEvent } from "../../../src/observe/CallEvent.ts"
import { CallMetrics } from "../../../src/endpoints/metrics/CallMetrics.ts"
import type { Sample } from "../../../src/endpoints/metrics/Family.ts"
import { ModelLabels, type NamesInForce } from "../../../src/endpoints/metrics/ModelLabels.ts"
import { render } from "../../../src/endpoints/metrics/MetricsEndpoints.ts"

const price = { input: usd("1"), output: usd("1"), cacheRead: usd("1"), cacheWrite: usd("1") }

const inForce = (models: ReadonlyArray<string>): NamesInForce => ({
  catalogue: Catalogue.make(operations, defaults),
  models: [{ id: "listed" }],
  routes: [{ operation: "chat.completions", model: "routed-*", to: [] }],
  prices: {
    of: ({ price: own }) =>
      own.contract === "model_tokens"
        ? { ...own, models: Object.fromEntries(models.map((name) => [name, price])) }
        : own
  }
})

const call = (more: Partial<CallEvent> = {}): CallEvent => ({
  kind: "call",
  requestId: "req_1",
  via: "http",
  operation: "chat.completions",
  model: "priced",
  account: "acc_1",
  key: "key_1",
  upstream: "fast",
  tried: undefined,
  status: 200,
  code: undefined,
  limit: undefined,
  outcome: "executed",
  costState: "settled",
  charge: micro(7n),
  value: micro(10n),
  loss: micro(1n),
  cost: nano(4_500n),
  tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
  gaps: undefined,
  startedAt: 0,
  firstByteMillis: 20,
  durationMillis: 2_000,
  streamed: false,
  replayed: false,
  kept: false,
  tags: undefined,
  traceId: undefined,
  spanId: undefined,
  ...more
})

const make = (names = inForce(["priced"])) => {
  const metrics = new CallMetrics(
    new ModelLabels(
      () => names,
      () => names
    )
  )
  const samples = (name: string) => {
    const family = metrics.snapshot().find((family) => family.name === name)
    return family === undefined || family.type === "histogram" ? [] : family.samples
  }
  return { ...metrics, metrics, samples, text: () => render(metrics.snapshot()) }
}

const sum = (samples: ReadonlyArray<Sample>) => samples.reduce((total, { value }) => total + Number(value), 0)
const modelsIn = (samples: ReadonlyArray<Sample>) => [...new Set(samples.map(({ labels }) => labels["model"]))]

describe("a call is counted", () => {
  it("by operation, model and upstream, with its tokens and amounts", () => {
    const { count, text } = make()
    count(call())
    const labels = 'operation="chat.completions",model="priced",upstream="fast"'
    for (const line of [
      `tollgate_requests_total{via="http",kind="call",${labels},status="2xx"} 1`,
      `tollgate_request_duration_seconds_bucket{${labels},le="1"} 0`,
      `tollgate_request_duration_seconds_bucket{${labels},le="2.5"} 1`,
      `tollgate_request_duration_seconds_sum{${labels}} 2`,
      `tollgate_first_byte_seconds_bucket{${labels},le="0.025"} 1`,
      `tollgate_tokens_total{${labels},kind="cache_write"} 4`,
      `tollgate_charge_micro_usd_total{${labels}} 7`,
      `tollgate_value_micro_usd_total{${labels}} 10`,
      `tollgate_loss_micro_usd_total{${labels}} 1`
    ]) {
      expect(text()).toContain(`${line}\n`)
    }
    expect(text()).not.toContain("acc_1")
    expect(text()).not.toContain("key_1")
  })

  it("with its cost, or as one whose cost is not known", () => {
    const { count, samples } = make()
    count(call())
    count(call({ charge: micro(0n), cost: nano(4_500n) }))
    expect(sum(samples("tollgate_cost_micro_usd_total"))).toBe(9)
    expect(sum(samples("tollgate_cost_unknown_total"))).toBe(0)
    count(call({ cost: undefined }))
    count(call({ cost: undefined, kind: "task", costState: "estimated" }))
    // Nothing was charged, or no upstream was called.
    count(call({ cost: undefined, costState: "none" }))
    count(call({ cost: undefined, costState: "unknown" }))
    count(call({ cost: undefined, upstream: undefined }))
    expect(sum(samples("tollgate_cost_micro_usd_total"))).toBe(9)
    expect(sum(samples("tollgate_cost_unknown_total"))).toBe(2)
  })

  it("by what it used without a price, up to a number of names", () => {
    const { count, samples, text } = make()
    count(call({ gaps: ["tiers.turbo", "tools.web_search"] }))
    count(call({ gaps: ["tiers.turbo"], model: "callers choose it" }))
    count(call({ gaps: ["\n\u001b[31m"] }))
    for (const line of [
      'tollgate_gaps_total{model="priced",name="tiers.turbo"} 1',
      'tollgate_gaps_total{model="other",name="tiers.turbo"} 1',
      'tollgate_gaps_total{model="priced",name="tools.web_search"} 1',
      'tollgate_gaps_total{model="priced",name="\ufffd\ufffd[31m"} 1'
    ]) {
      expect(text()).toContain(`${line}\n`)
    }
    for (let i = 0; i < 1_000; i++) count(call({ gaps: [`usage.made_up_${i}`] }))
    expect(samples("tollgate_gaps_total").length).toBe(201)
    expect(sum(samples("tollgate_gaps_total"))).toBe(1_004)
  })

  it("as a failure by its code, and by who has to act", () => {
    const { count, samples } = make()
    for (const more of [
      { code: "invalid_request", status: 400 },
      { code: "caller_left", status: 499 },
      { code: "upstream_timeout", status: 502 },
      { code: "upstream_rate_limit", status: 429 },
      { code: "billing_unavailable", status: 503 },
      { status: 404 },
      { status: 500 },
      { status: 200 }
    ] as const) {
      count(call(more))
    }
    expect(samples("tollgate_failures_total").map(({ labels }) => `${labels["code"]} ${labels["fault"]}`)).toEqual([
      "invalid_request caller",
      "caller_left caller",
      "upstream_timeout upstream",
      "upstream_rate_limit upstream",
      "billing_unavailable gateway",
      "answered_4xx caller",
      "answered_5xx upstream"
    ])
  })

  it("as refused by the limit that refused it", () => {
    const { count, samples } = make()
    count(call({ status: 429, code: "rate_limit_exceeded", limit: "tokens" }))
    const counted = samples("tollgate_limits_refused_total").filter(({ value }) => value !== 0)
    expect(counted).toEqual([{ labels: { kind: "tokens" }, value: 1 }])
  })

  it("with amounts that a number does not hold", () => {
    const { count, samples } = make()
    for (let i = 0; i < 3; i++) count(call({ charge: micro(2n ** 53n) }))
    expect(samples("tollgate_charge_micro_usd_total").map(({ value }) => value)).toEqual([String(3n * 2n ** 53n)])
  })

  it("without a time if it is a quote, and apart from calls if it is the end of a task", () => {
    const { count, text } = make()
    count(call({ kind: "quote" }))
    count(call({ kind: "task", durationMillis: 90_000 }))
    expect(text()).not.toContain("tollgate_request_duration_seconds_count")
    expect(text()).toMatch(/tollgate_requests_total\{via="http",kind="quote".* 1\n/)
    expect(text()).toMatch(/tollgate_task_duration_seconds_bucket\{.*le="60"\} 0\n.*le="120"\} 1\n/)
    expect(text()).toMatch(/tollgate_tasks_ended_total\{.*cost_state="settled"\} 1\n/)
  })
})

describe("a hostile caller", () => {
  it("who invents ten thousand models makes one series", () => {
    const { count, samples } = make()
    for (let i = 0; i < 10_000; i++) count(call({ model: `invented-${i}"\n` }))
    for (const name of ["priced", "listed", "routed-x", "routed-y"]) count(call({ model: name }))
    const requests = samples("tollgate_requests_total")
    expect(modelsIn(requests)).toEqual(["other", "priced", "listed", "routed-*"])
    expect(sum(requests)).toBe(10_004)
    expect(sum(samples("tollgate_metrics_dropped_total"))).toBe(0)
  })

  it("cannot grow a metric above its most series: the rest is one series, and it is counted", () => {
    const names = Array.from({ length: 3_000 }, (_, i) => `m-${i}`)
    const { count, samples, text } = make(inForce(names))
    for (const model of names) count(call({ model }))
    expect(samples("tollgate_charge_micro_usd_total")).toHaveLength(501)
    expect(samples("tollgate_requests_total")).toHaveLength(2_001)
    expect(sum(samples("tollgate_requests_total"))).toBe(3_000)
    expect(sum(samples("tollgate_charge_micro_usd_total"))).toBe(21_000)
    expect(samples("tollgate_metrics_dropped_total")).toContainEqual({ labels: { metric: "calls" }, value: 2_500 })
    expect(text().length).toBeLessThan(6_000_000)
  })
})

it("a reload changes which models have a label of their own", () => {
  let names = inForce(["old"])
  const labels = new ModelLabels(
    () => names,
    () => names
  )
  expect([labels.of("old"), labels.of("new"), labels.of(undefined)]).toEqual(["old", "other", "none"])
  names = inForce(["new"])
  expect([labels.of("old"), labels.of("new")]).toEqual(["other", "new"])
})
