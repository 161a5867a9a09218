import { Family, Histogram } from "@tollgate/gateway/driver"
import * as Effect from "effect/Effect"
import { performance } from "node:perf_hooks"

/** Seconds. */
const lagBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const everyMillis = 50

/** Reads how late a timer is. What blocks for long makes one timer late in place of many: each of them counts. */
const observeLag = (lag: Histogram): NodeJS.Timeout => {
  let due = performance.now() + everyMillis
  const timer = setInterval(() => {
    const now = performance.now()
    for (let late = Math.max(0, now - due); late >= 0; late -= everyMillis) lag.observe(late / 1_000)
    due = now + everyMillis
  }, everyMillis)
  return timer.unref()
}

const { counter, gauge, single } = Family

const processFamilies = (): Family.Snapshot => {
  const { system, user } = process.cpuUsage()
  const { external, heapTotal, heapUsed, rss } = process.memoryUsage()
  const { active, idle } = performance.eventLoopUtilization()
  return [
    counter("tollgate_process_cpu_seconds_total", "Processor time of the process.", [
      { labels: { mode: "user" }, value: user / 1e6 },
      { labels: { mode: "system" }, value: system / 1e6 }
    ]),
    gauge("tollgate_process_resident_memory_bytes", "Memory of the process.", single(rss)),
    gauge("tollgate_process_heap_bytes", "Memory of V8's heap, and of buffers outside it.", [
      { labels: { kind: "used" }, value: heapUsed },
      { labels: { kind: "total" }, value: heapTotal },
      { labels: { kind: "external" }, value: external }
    ]),
    counter("tollgate_event_loop_seconds_total", "Time that the event loop worked, and that it waited.", [
      { labels: { state: "active" }, value: active / 1_000 },
      { labels: { state: "idle" }, value: idle / 1_000 }
    ]),
    Family.sharedGauge(
      "tollgate_process_start_time_seconds",
      "When the process was started, in Unix time.",
      single(Math.round(performance.timeOrigin) / 1_000)
    )
  ]
}

/** The state of this process, until the scope closes. */
export const make = (version: string) =>
  Effect.gen(function* () {
    const lag = new Histogram(lagBounds)
    yield* Effect.acquireRelease(
      Effect.sync(() => observeLag(lag)),
      (timer) => Effect.sync(() => clearInterval(timer))
    )
    const build = { labels: { version, node: process.versions.node }, value: 1 }
    return (): Family.Snapshot => [
      ...processFamilies(),
      lag.family("tollgate_event_loop_lag_seconds", "How late the event loop runs a timer."),
      Family.sharedGauge("tollgate_build_info", "The version of the gateway and of Node, as labels.", [build])
    ]
  })
