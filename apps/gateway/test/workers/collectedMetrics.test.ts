import { Family } from "@tollgate/gateway/driver"
import { describe, expect, it } from "vitest"
import { CollectedMetrics, type MetricsSource } from "../../src/serve/workers/CollectedMetrics.ts"

const { counter, gauge, single } = Family

const snapshot = (calls: number): Family.Snapshot => [
  counter("calls_total", "Calls.", single(calls)),
  gauge("memory", "Memory.", single(1))
]

/** A worker that has answered calls. A silent one does not send its metrics. */
class Source implements MetricsSource {
  isReady = true
  isStopping = false
  metrics: Family.Snapshot = []
  calls = 0
  isSilent = false
  readings = 0

  async readMetrics(): Promise<boolean> {
    this.readings++
    await Promise.resolve()
    if (!this.isSilent) this.metrics = snapshot(this.calls)
    return !this.isSilent
  }
}

const setup = () => {
  const workers = [new Source(), new Source()] as const
  const running = new Set<MetricsSource>(workers)
  const collected = new CollectedMetrics(running)
  const end = (worker: Source) => {
    running.delete(worker)
    collected.ended(worker)
  }
  const lines = async () => (await collected.text()).split("\n").filter((line) => /^[a-z]/.test(line))
  return { workers, running, collected, end, lines }
}

describe("the metrics of workers", () => {
  it("are added up", async () => {
    const { lines, workers } = setup()
    workers[0].calls = 3
    workers[1].calls = 4
    expect(await lines()).toEqual([
      "calls_total 7",
      "memory 2",
      "tollgate_workers 2",
      "tollgate_workers_failed_total 0",
      "tollgate_metrics_silent_workers_total 0"
    ])
  })

  it("keep the counters of a worker that ended, not its gauges", async () => {
    const { end, lines, running, workers } = setup()
    workers[0].calls = 3
    workers[1].calls = 4
    await lines()
    workers[0].isStopping = true
    end(workers[0])
    end(workers[1])
    const next = new Source()
    running.add(next)
    next.calls = 1
    const found = await lines()
    expect(found).toContain("calls_total 8")
    expect(found).toContain("memory 1")
    expect(found).toContain("tollgate_workers_failed_total 1")
  })

  it("keep the counters of a worker that does not answer, and count its silence", async () => {
    const { lines, workers } = setup()
    workers[0].calls = 3
    await lines()
    workers[0].isSilent = true
    workers[0].calls = 5
    const found = await lines()
    expect(found).toContain("calls_total 3")
    expect(found).toContain("memory 1")
    expect(found).toContain("tollgate_metrics_silent_workers_total 1")
    workers[0].isSilent = false
    expect(await lines()).toContain("calls_total 5")
  })

  it("count a worker that ends while it is asked once", async () => {
    const { collected, end, lines, workers } = setup()
    workers[0].calls = 3
    workers[1].calls = 4
    const text = collected.text()
    await Promise.resolve()
    end(workers[0])
    expect(await text).toContain("\ncalls_total 7\n")
    expect(await lines()).toContain("calls_total 7")
  })

  it("are read once for all who ask at the same time, and not from workers that are starting", async () => {
    const { collected, workers } = setup()
    workers[1].isReady = false
    const texts = await Promise.all(Array.from({ length: 20 }, () => collected.text()))
    expect(new Set(texts).size).toBe(1)
    expect(workers.map(({ readings }) => readings)).toEqual([1, 0])
    expect(texts[0]).toContain("\ntollgate_metrics_silent_workers_total 0\n")
  })
})
