import { describe, expect, it } from "vitest"
import { isFromPrimary, isFromWorker } from "../../src/serve/workers/Message.ts"

const family = { type: "counter", name: "a_total", help: "A.", samples: [{ labels: { b: "c" }, value: "12" }] }
const histogram = {
  type: "histogram",
  name: "h",
  help: "H.",
  bounds: [1],
  samples: [{ labels: {}, counts: [1, 2], sum: 3 }]
}
const metrics = (...metrics: ReadonlyArray<unknown>) => ({ kind: "metrics", reading: 1, metrics })

describe("what workers and the process that started them tell each other", () => {
  it.each([
    { kind: "ready", banner: "Tollgate" },
    { kind: "leave_port" },
    { kind: "scrape", scrape: 1 },
    { kind: "metrics", metrics: [] },
    metrics(family, { ...family, type: "gauge", combine: "min" }, histogram)
  ])("is understood: %j", (message) => expect(isFromWorker(message)).toBe(true))

  it.each([
    undefined,
    null,
    "ready",
    {},
    { kind: "ready" },
    { kind: "scrape", scrape: "1" },
    { kind: "other" },
    metrics(null),
    metrics({ ...family, samples: undefined }),
    metrics({ ...family, samples: [{ labels: { b: 1 }, value: 1 }] }),
    // An amount that is no number would throw where it is added.
    metrics({ ...family, samples: [{ labels: {}, value: "twelve" }] }),
    metrics({ ...histogram, bounds: undefined })
  ])("is ignored if it is malformed: %j", (message) => {
    expect(isFromWorker(message)).toBe(false)
    expect(isFromPrimary(message)).toBe(false)
  })

  it("is understood by workers", () => {
    for (const kind of ["replace", "program_stops", "port_left"]) expect(isFromPrimary({ kind })).toBe(true)
    expect(isFromPrimary({ kind: "read_metrics", reading: 1 })).toBe(true)
    expect(isFromPrimary({ kind: "scraped", scrape: 1, text: "" })).toBe(true)
    expect(isFromPrimary({ kind: "scraped", scrape: 1 })).toBe(false)
  })
})
