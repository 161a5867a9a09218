import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { describe, expect, it } from "@effect/vitest"
import { nano } from "@tollgate/contract/Money"
import { Accounts, Audit, Keys } from "@tollgate/gateway"
import { WatchSettings } from "@tollgate/gateway/call/task/WatchedTask"
import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type Caller,
  callOf,
  create,
  fundedCaller,
  micros,
  advance,
  poll,
  balanceOf,
  services,
  store
} from "@tollgate/testing/task/setup"
import { endsAfter, type Plan, reply, success, report, Upstream } from "@tollgate/testing/task/Upstream"

const auditSummary = Effect.map(Audit.run, ({ differences, running }) => ({ differences, running: running.length }))
const clean = { differences: [], running: 0 }

const newProcess = (upstream: Upstream, providers?: Parameters<typeof services>[1]) =>
  Layer.fresh(services(upstream.carrier, providers))

const withUpstream = <A, E, R>(body: (upstream: Upstream) => Effect.Effect<A, E, R>) => {
  const upstream = new Upstream()
  return body(upstream).pipe(Effect.provide(newProcess(upstream).pipe(Layer.provideMerge(store()))))
}

describe("an upstream that does not report a task's status", () => {
  const garbage: Readonly<Record<string, Plan>> = {
    "an HTML page": () => reply("<html>Welcome</html>"),
    "a 500": (id) => reply(success(id), 500),
    "a redirect": (id) => reply(success(id), 302),
    "a 401": (id) => reply(success(id), 401),
    "half a JSON body": (id) => reply(JSON.stringify(success(id)).slice(0, -5)),
    "a report about another task": () => reply(success("other")),
    "a report without an id": () => reply({ output: { task_status: "SUCCEEDED", video_url: "https://x" } }),
    "an unknown status": (id) => reply(report(id, "DONE" as never)),
    "a success without a video": (id) => reply(report(id, "SUCCEEDED")),
    "a body over the size limit": (id) => reply({ ...success(id), more: "x".repeat(300_000) }),
    "no answer": () => Effect.never,
    "a broken connection": () => Effect.fail(new NotCarried({ why: "broken" })),
    "a JSON array": () => reply([1]),
    null: () => reply("null")
  }

  it.effect.each(Object.entries(garbage))(
    "%s finishes no task, and the task is settled once the upstream recovers",
    ([, plan]) =>
      withUpstream(
        Effect.fnUntraced(function* (upstream) {
          const caller = yield* fundedCaller
          const created = yield* create(
            caller,
            upstream.create("t", (id, elapsed) => (elapsed < 600_000 ? plan(id, elapsed) : reply(success(id))))
          )
          yield* advance("9 minutes")
          expect(yield* callOf(created.call)).toMatchObject({ state: "running" })
          const polled = yield* Effect.forkChild(poll(caller, created.id))
          yield* advance("2 seconds")
          expect((yield* Fiber.join(polled)).body.output).toMatchObject({ task_status: "PENDING" })
          // With backoff, and without giving up.
          expect(upstream.polls.length).toBeGreaterThan(8)
          expect(upstream.polls.length).toBeLessThan(20)
          yield* advance("3 minutes")
          expect(yield* callOf(created.call)).toMatchObject({ state: "settled", charged: Number(micros) })
          expect(yield* auditSummary).toEqual(clean)
        })
      )
  )

  it.effect("is polled at the usual interval again after it recovers", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const plan: Plan = (id, elapsed) =>
          elapsed < 300_000 ? reply("", 503) : reply(elapsed < 400_000 ? report(id, "RUNNING") : success(id))
        const created = yield* create(yield* fundedCaller, upstream.create("t", plan))
        yield* advance("399 seconds")
        expect(yield* callOf(created.call)).toMatchObject({ state: "running" })
        yield* advance("7 seconds")
        expect(yield* callOf(created.call)).toMatchObject({ state: "settled" })
      })
    )
  )

  it.effect("is not polled during its Retry-After, for any task", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        let limited = true
        const plan: Plan = (id) => (limited ? reply("{}", 429, { "retry-after": "120" }) : reply(success(id)))
        const callers = yield* Effect.all(Array.from({ length: 10 }, () => fundedCaller))
        const [first, ...rest] = callers
        yield* create(first!, upstream.create("t", plan))
        yield* advance("1 second")
        expect(upstream.polls.length).toBe(1)
        for (const [i, caller] of rest.entries()) yield* create(caller, upstream.create(`t${i}`, plan))
        yield* advance("119 seconds")
        expect(upstream.polls.length).toBe(1)
        limited = false
        yield* advance("10 seconds")
        expect(yield* auditSummary).toEqual(clean)
        for (const { account } of callers) expect(yield* balanceOf(account)).toEqual({ spent: micros, reserved: 0n })
      })
    )
  )

  it.effect("is polled again after it was missing from the configuration for a while", () =>
    Effect.gen(function* () {
      const upstream = new Upstream()
      const created = yield* Effect.gen(function* () {
        return yield* create(yield* fundedCaller, upstream.create("t", endsAfter(2_000, success)))
      }).pipe(Effect.provide(newProcess(upstream)))
      yield* advance("10 minutes").pipe(Effect.provide(newProcess(upstream, [])))
      expect(yield* callOf(created.call)).toMatchObject({ state: "running" })
      yield* advance("1 second").pipe(Effect.provide(newProcess(upstream)))
      expect(yield* callOf(created.call)).toMatchObject({ state: "settled" })
    }).pipe(Effect.provide(store()))
  )
})

describe("a task", () => {
  it.effect("is settled once, though many callers poll it at the same time", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        upstream.pollMillis = 250
        const created = yield* create(caller, upstream.create("t", endsAfter(8_000, success)))
        const polls = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: 200 }),
            (_, i) => Effect.andThen(poll({ ...caller, key: String(i) }, created.id), Effect.sleep(70)),
            { concurrency: 3 }
          )
        )
        yield* advance("15 seconds")
        expect((yield* Fiber.join(polls)).length).toBe(200)
        const sql = yield* SqlClient
        expect(yield* sql`SELECT COUNT(*) AS n FROM calls WHERE charged > 0`).toEqual([{ n: 1 }])
        expect(yield* sql`SELECT SUM(requests) AS n, SUM(charged) AS c FROM usage_sums WHERE span = 60000`).toEqual([
          { n: 1, c: Number(micros) }
        ])
        expect(yield* balanceOf(caller.account)).toEqual({ spent: micros, reserved: 0n })
        expect(yield* auditSummary).toEqual(clean)
      })
    )
  )

  it.effect("keeps the cap of its create: what it costs beyond is the operator's loss", () =>
    Effect.gen(function* () {
      const upstream = new Upstream()
      const cap = nano(30_000_000n)
      const { call, caller } = yield* Effect.gen(function* () {
        const caller = yield* fundedCaller
        const created = yield* create(
          caller,
          upstream.create("t", endsAfter(5_000, success)),
          undefined,
          200,
          undefined,
          cap
        )
        return { call: created.call, caller }
      }).pipe(Effect.provide(newProcess(upstream)))
      // Another process settles it.
      yield* Effect.gen(function* () {
        yield* advance("10 seconds")
        expect(yield* callOf(call)).toMatchObject({ state: "settled", charged: 30_000 })
        expect((yield* balanceOf(caller.account)).spent).toBe(30_000n)
        const { differences, totals } = yield* Audit.run
        expect([differences, totals.loss]).toEqual([[], micros - 30_000n])
      }).pipe(Effect.provide(newProcess(upstream)))
    }).pipe(Effect.provide(store()))
  )

  it.effect("is settled once, though the process restarts during polls and two processes follow", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "tollgate-task-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const upstream = new Upstream()
      yield* Effect.gen(function* () {
        const [caller, created] = yield* Effect.gen(function* () {
          const caller = yield* fundedCaller
          return [caller, yield* create(caller, upstream.create("t", endsAfter(20_000, success)))] as const
        }).pipe(Effect.provide(newProcess(upstream)))
        for (const pause of [100, 1_500, 3_000]) {
          // The process ends during a poll.
          upstream.pollMillis = 5_000
          yield* advance(pause).pipe(Effect.provide(newProcess(upstream)))
          expect(yield* callOf(created.call)).toMatchObject({ state: "running" })
        }
        upstream.pollMillis = 10
        const both = Layer.merge(Layer.effectDiscard(Layer.build(newProcess(upstream))), newProcess(upstream))
        yield* Effect.gen(function* () {
          yield* advance("30 seconds")
          expect(yield* balanceOf(caller.account)).toEqual({ spent: micros, reserved: 0n })
          expect((yield* poll(caller, created.id)).body.output).toMatchObject({ task_status: "SUCCEEDED" })
        }).pipe(Effect.provide(both))
        expect(yield* callOf(created.call)).toMatchObject({ state: "settled" })
        expect(yield* auditSummary).toEqual(clean)
      }).pipe(Effect.provide(store(join(folder, "tollgate.db"))))
    }).pipe(Effect.scoped)
  )

  it.effect("still counts against the limit after a restart", () =>
    Effect.gen(function* () {
      const upstream = new Upstream()
      const caller = yield* Effect.gen(function* () {
        const caller = yield* fundedCaller
        for (const id of ["a", "b", "c"]) yield* create(caller, upstream.create(id, endsAfter(60_000, success)))
        return caller
      }).pipe(Effect.provide(newProcess(upstream)))
      const again = create(caller, upstream.create("d", endsAfter(60_000, success))).pipe(
        Effect.provide(newProcess(upstream))
      )
      expect(yield* again).toMatchObject({ code: "rate_limit_exceeded" })
      yield* advance("66 seconds").pipe(Effect.provide(newProcess(upstream)))
      expect(yield* again).toMatchObject({ status: 200 })
    }).pipe(Effect.provide(store()))
  )

  it.effect("counts against the same limit for all keys of a rotation", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        for (const id of ["a", "b"]) yield* create(caller, upstream.create(id, endsAfter(60_000, success)))
        const accounts = yield* Accounts
        const { value } = yield* accounts.rotateKey(caller.key, 60_000)
        const {
          account,
          key = "",
          rootKey = ""
        } = Option.getOrThrow(yield* Keys.use(({ find }) => find(Redacted.value(value))))
        const next = { account, key, rootKey }
        expect(yield* create(next, upstream.create("c", endsAfter(60_000, success)))).toMatchObject({ status: 200 })
        for (const one of [caller, next]) {
          expect(yield* create(one, Effect.die("sent"))).toMatchObject({ code: "rate_limit_exceeded" })
        }
      })
    )
  )
})

const many = countOf("TASKS", 60, 1_000)

it.effect(`${many} tasks end on time, and concurrent polls stay within the limit`, () =>
  withUpstream(
    Effect.fnUntraced(function* (upstream) {
      const { concurrency, maxMillis } = yield* WatchSettings
      const callers: Array<Caller> = []
      for (let i = 0; i < many / 3; i++) callers.push(yield* fundedCaller)
      upstream.pollMillis = 100
      const created = yield* Effect.forEach(
        Array.from({ length: many }),
        (_, i) =>
          create(callers[i % callers.length]!, upstream.create(`t${i}`, endsAfter(8_000 + (i % 20) * 500, success))),
        { concurrency: 50 }
      )
      expect(created.every(({ status }) => status === 200)).toBe(true)
      yield* advance("59 seconds")
      yield* advance(maxMillis + 1_000)
      const sql = yield* SqlClient
      expect(yield* sql`SELECT state, COUNT(*) AS n FROM calls GROUP BY state`).toEqual([{ state: "settled", n: many }])
      const [late] = yield* sql<{ readonly millis: number }>`
        SELECT MAX(t.ended_at - t.created_at - (8000 + (SUBSTR(t.upstream, 2) % 20) * 500)) AS millis FROM tasks t`
      expect(late?.millis).toBeLessThanOrEqual(maxMillis + 1_000)
      expect(upstream.maxInFlight).toBe(concurrency)
      expect(upstream.polls.length).toBeLessThan(8 * many)
      expect(yield* auditSummary).toEqual(clean)
    })
  )
)

const ends = {
  success,
  failure: (id: string) => report(id, "FAILED", { code: "x", message: "y" }),
  cancellation: (id: string) => report(id, "CANCELED"),
  loss: (id: string) => report(id, "UNKNOWN")
}

type End = keyof typeof ends

type Step =
  | { readonly do: "create"; readonly who: number; readonly millis: number; readonly end: End }
  | { readonly do: "bad"; readonly who: number }
  | { readonly do: "wait"; readonly millis: number }
  | { readonly do: "poll"; readonly which: number }
  | { readonly do: "restart" }

const histories = countOf("TASK_HISTORIES", 8, 25)

const who = fc.integer({ min: 0, max: 2 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("create" as const),
      who,
      millis: fc.integer({ min: 0, max: 30_000 }),
      end: fc.constantFrom(...(Object.keys(ends) as Array<End>))
    })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("bad" as const), who }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("wait" as const), millis: fc.integer({ min: 1, max: 20_000 }) })
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("poll" as const), which: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) }
)

interface Amounts {
  readonly state: string
  readonly account: string
  readonly reserved: number
}

/** Every account's reserved amount is the sum over its open and running calls. */
const expectConsistent = Effect.fnUntraced(function* (callers: ReadonlyArray<Caller>) {
  const sql = yield* SqlClient
  const calls = yield* sql<Amounts>`SELECT state, account, reserved FROM calls
    WHERE state IN ('open', 'running')`
  for (const { account } of callers) {
    const own = calls.filter((call) => call.account === account)
    expect(own.filter(({ state }) => state === "running").length).toBeLessThanOrEqual(3)
    const [row] = yield* sql<Amounts>`SELECT reserved FROM accounts WHERE id = ${account}`
    expect(row?.reserved).toBe(own.reduce((sum, { reserved }) => sum + reserved, 0))
  }
  expect((yield* Audit.run).differences).toEqual([])
})

const runScenario = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const upstream = new Upstream()
  const created: Array<{ readonly caller: Caller; readonly id: string; readonly call: string; readonly end: End }> = []
  const callers = yield* Effect.all([fundedCaller, fundedCaller, fundedCaller]).pipe(
    Effect.provide(newProcess(upstream))
  )
  const runSteps = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
    for (const one of steps) {
      if (one.do === "wait") yield* advance(one.millis)
      if (one.do === "bad") yield* create(callers[one.who]!, Effect.succeed("{}"))
      if (one.do === "create") {
        const caller = callers[one.who]!
        const plan = endsAfter(one.millis, ends[one.end])
        const { call, id, status } = yield* create(caller, upstream.create(`t${created.length}`, plan))
        if (status === 200) created.push({ caller, id, call, end: one.end })
      }
      const polled = one.do === "poll" ? created[one.which] : undefined
      if (polled !== undefined) yield* poll(polled.caller, polled.id)
      yield* expectConsistent(callers)
    }
  })
  const runs: Array<Array<Step>> = [[]]
  for (const one of steps) {
    if (one.do === "restart") runs.push([])
    else runs.at(-1)!.push(one)
  }
  for (const run of runs) yield* runSteps(run).pipe(Effect.provide(newProcess(upstream)))
  yield* advance("2 hours").pipe(Effect.provide(newProcess(upstream)))
  yield* expectConsistent(callers)
  const states = { success: "settled", failure: "released", cancellation: "settled", loss: "unknown" }
  for (const { call, end } of created) {
    const charged = end === "success" ? Number(micros) : 0
    expect(yield* callOf(call)).toMatchObject({ state: states[end], charged })
  }
})

it.effect("property: the reserved amount matches the open calls, and each task that succeeds is charged once", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) =>
        Effect.runPromise(
          runScenario(steps).pipe(Effect.provide(store()), Effect.provide(TestClock.layer()), Effect.scoped)
        )
      ),
      { numRuns: histories, seed: 1, verbose: 0 }
    )
  )
)
