import { describe, expect, it } from "vitest"
import {
  counter,
  gauge,
  Histogram,
  leastGauge,
  sharedGauge,
  type Snapshot
} from "../../../src/endpoints/metrics/Family.ts"
import { merge } from "../../../src/endpoints/metrics/merge.ts"
import { render } from "../../../src/endpoints/metrics/MetricsEndpoints.ts"

describe("the text of metrics", () => {
  it("has help, type and samples, with escaped values", () => {
    const text = render([
      counter("a_total", "One\nand a \\.", [
        { labels: { path: 'a"b\\c\nd', x: "é" }, value: "9007199254740993" },
        { labels: {}, value: 0.5 }
      ])
    ])
    expect(text).toBe(
      "# HELP a_total One\\nand a \\\\.\n# TYPE a_total counter\n" +
        'a_total{path="a\\"b\\\\c\\nd",x="é"} 9007199254740993\na_total 0.5\n'
    )
  })

  it("has cumulative buckets up to +Inf, a sum and a count", () => {
    const histogram = new Histogram([1, 2])
    for (const value of [0.5, 1, 1.5, 9]) histogram.observe(value)
    expect(render([histogram.family("h_seconds", "H")])).toBe(
      "# HELP h_seconds H\n# TYPE h_seconds histogram\n" +
        'h_seconds_bucket{le="1"} 2\nh_seconds_bucket{le="2"} 3\nh_seconds_bucket{le="+Inf"} 4\n' +
        "h_seconds_sum 12\nh_seconds_count 4\n"
    )
  })

  it("has numbers that are none, and infinite ones, as Prometheus writes them", () => {
    const values = [NaN, Infinity, -Infinity].map((value) => ({ labels: {}, value }))
    expect(render([gauge("g", "G", values)])).toContain("g NaN\ng +Inf\ng -Inf\n")
  })
})

describe("the metrics of several processes", () => {
  const ofProcess = (requests: number): Snapshot => {
    const histogram = new Histogram([1])
    histogram.observe(requests)
    return [
      counter("r_total", "R", [{ labels: { op: "a" }, value: requests }]),
      counter("m_total", "M", [{ labels: {}, value: String(2n ** 60n) }]),
      sharedGauge("s", "S", [{ labels: {}, value: requests }]),
      leastGauge("l", "L", [{ labels: {}, value: requests }]),
      histogram.family("h", "H"),
      ...(requests > 1 ? [gauge("only", "O", [{ labels: {}, value: 1 }])] : [])
    ]
  }

  it("add up, except what each of them knows as a whole; a snapshot survives being sent as JSON", () => {
    const sent = [ofProcess(1), ofProcess(4)].map((snapshot) => JSON.parse(JSON.stringify(snapshot)) as Snapshot)
    const lines = render(merge(sent)).split("\n")
    for (const line of [
      'r_total{op="a"} 5',
      `m_total ${2n ** 61n}`,
      "s 4",
      "l 1",
      'h_bucket{le="1"} 1',
      'h_bucket{le="+Inf"} 2',
      "h_sum 5",
      "only 1"
    ]) {
      expect(lines).toContain(line)
    }
    expect(render(merge([sent[0]!]))).toBe(render(sent[0]!))
  })
})
