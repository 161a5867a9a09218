import { describe, expect, it } from "@effect/vitest"
import { Accounts, Audit, Keys } from "@tollgate/gateway"
import { Watching } from "@tollgate/gateway/task/Watching"
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
  after,
  type Caller,
  callOf,
  create,
  funded,
  micros,
  pass,
  type Plan,
  poll,
  purse,
  reply,
  services,
  store,
  success,
  task,
  Upstream
} from "@tollgate/testing/task/setup"

const audited = Effect.map(Audit.run, ({ differences, running }) => ({ differences, running: running.length }))
const clean = { differences: [], running: 0 }

const live = (upstream: Upstream, providers?: Parameters<typeof services>[1]) =>
  Layer.fresh(services(upstream.carrier, providers))

const withUpstream = <A, E, R>(body: (upstream: Upstream) => Effect.Effect<A, E, R>) => {
  const upstream = new Upstream()
  return body(upstream).pipe(Effect.provide(live(upstream).pipe(Layer.provideMerge(store()))))
}

describe("an upstream that tells nothing", () => {
  const garbage: Readonly<Record<string, Plan>> = {
    "a page of HTML": () => reply("<html>Welcome</html>"),
    "a failure": (id) => reply(success(id), 500),
    "a redirect": (id) => reply(success(id), 302),
    "its own refusal of us": (id) => reply(success(id), 401),
    "half of its answer": (id) => reply(JSON.stringify(success(id)).slice(0, -5)),
    "another task": () => reply(success("other")),
    "a task with no id": () => reply({ output: { task_status: "SUCCEEDED", video_url: "https://x" } }),
    "a state nobody knows": (id) => reply(task(id, "DONE" as never)),
    "a success without a video": (id) => reply(task(id, "SUCCEEDED")),
    "more than anybody reads": (id) => reply({ ...success(id), more: "x".repeat(300_000) }),
    "nothing, ever": () => Effect.never,
    "a broken connection": () => Effect.fail(new NotCarried({ why: "broken" })),
    "a list": () => reply([1]),
    null: () => reply("null")
  }

  it.effect.each(Object.entries(garbage))("but %s ends nothing, and the truth is found later", ([, plan]) =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const begun = yield* create(
          caller,
          upstream.create("t", (id, passed) => (passed < 600_000 ? plan(id, passed) : reply(success(id))))
        )
        yield* pass("9 minutes")
        expect(yield* callOf(begun.call)).toMatchObject({ state: "running" })
        const polled = yield* Effect.forkChild(poll(caller, begun.id))
        yield* pass("2 seconds")
        expect((yield* Fiber.join(polled)).body.output).toMatchObject({ task_status: "PENDING" })
        // Less and less often, and never given up for that.
        expect(upstream.asked.length).toBeGreaterThan(8)
        expect(upstream.asked.length).toBeLessThan(20)
        yield* pass("3 minutes")
        expect(yield* callOf(begun.call)).toMatchObject({ state: "settled", charged: Number(micros) })
        expect(yield* audited).toEqual(clean)
      })
    )
  )

  it.effect("is asked as often as before when it tells again", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const plan: Plan = (id, passed) =>
          passed < 300_000 ? reply("", 503) : reply(passed < 400_000 ? task(id, "RUNNING") : success(id))
        const begun = yield* create(yield* funded, upstream.create("t", plan))
        yield* pass("399 seconds")
        expect(yield* callOf(begun.call)).toMatchObject({ state: "running" })
        yield* pass("7 seconds")
        expect(yield* callOf(begun.call)).toMatchObject({ state: "settled" })
      })
    )
  )

  it.effect("and asks to be left alone is left alone, by all of its tasks", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        let limited = true
        const plan: Plan = (id) => (limited ? reply("{}", 429, { "retry-after": "120" }) : reply(success(id)))
        const callers = yield* Effect.all(Array.from({ length: 10 }, () => funded))
        const [first, ...rest] = callers
        yield* create(first!, upstream.create("t", plan))
        yield* pass("1 second")
        expect(upstream.asked.length).toBe(1)
        for (const [i, caller] of rest.entries()) yield* create(caller, upstream.create(`t${i}`, plan))
        yield* pass("119 seconds")
        expect(upstream.asked.length).toBe(1)
        limited = false
        yield* pass("10 seconds")
        expect(yield* audited).toEqual(clean)
        for (const { account } of callers) expect(yield* purse(account)).toEqual({ spent: micros, reserved: 0n })
      })
    )
  )

  it.effect("because it is not configured any more is asked when it is again", () =>
    Effect.gen(function* () {
      const upstream = new Upstream()
      const begun = yield* Effect.gen(function* () {
        return yield* create(yield* funded, upstream.create("t", after(2_000, success)))
      }).pipe(Effect.provide(live(upstream)))
      yield* pass("10 minutes").pipe(Effect.provide(live(upstream, [])))
      expect(yield* callOf(begun.call)).toMatchObject({ state: "running" })
      yield* pass("1 second").pipe(Effect.provide(live(upstream)))
      expect(yield* callOf(begun.call)).toMatchObject({ state: "settled" })
    }).pipe(Effect.provide(store()))
  )
})

describe("a task ends once", () => {
  it.effect("though many poll while the watcher looks", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        upstream.millis = 250
        const begun = yield* create(caller, upstream.create("t", after(8_000, success)))
        const polls = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: 200 }),
            (_, i) => Effect.andThen(poll({ ...caller, key: String(i) }, begun.id), Effect.sleep(70)),
            { concurrency: 3 }
          )
        )
        yield* pass("15 seconds")
        expect((yield* Fiber.join(polls)).length).toBe(200)
        const sql = yield* SqlClient
        expect(yield* sql`SELECT COUNT(*) AS n FROM calls WHERE charged > 0`).toEqual([{ n: 1 }])
        expect(yield* sql`SELECT SUM(requests) AS n, SUM(charged) AS c FROM usage_sums WHERE span = 60000`).toEqual([
          { n: 1, c: Number(micros) }
        ])
        expect(yield* purse(caller.account)).toEqual({ spent: micros, reserved: 0n })
        expect(yield* audited).toEqual(clean)
      })
    )
  )

  it.effect("though the process ends in the middle, again and again, and two follow at once", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "tollgate-task-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const upstream = new Upstream()
      yield* Effect.gen(function* () {
        const [caller, begun] = yield* Effect.gen(function* () {
          const caller = yield* funded
          return [caller, yield* create(caller, upstream.create("t", after(20_000, success)))] as const
        }).pipe(Effect.provide(live(upstream)))
        for (const pause of [100, 1_500, 3_000]) {
          // In the middle of a look.
          upstream.millis = 5_000
          yield* pass(pause).pipe(Effect.provide(live(upstream)))
          expect(yield* callOf(begun.call)).toMatchObject({ state: "running" })
        }
        upstream.millis = 10
        const both = Layer.merge(Layer.effectDiscard(Layer.build(live(upstream))), live(upstream))
        yield* Effect.gen(function* () {
          yield* pass("30 seconds")
          expect(yield* purse(caller.account)).toEqual({ spent: micros, reserved: 0n })
          expect((yield* poll(caller, begun.id)).body.output).toMatchObject({ task_status: "SUCCEEDED" })
        }).pipe(Effect.provide(both))
        expect(yield* callOf(begun.call)).toMatchObject({ state: "settled" })
        expect(yield* audited).toEqual(clean)
      }).pipe(Effect.provide(store(join(folder, "tollgate.db"))))
    }).pipe(Effect.scoped)
  )

  it.effect("and places are counted right after a restart", () =>
    Effect.gen(function* () {
      const upstream = new Upstream()
      const caller = yield* Effect.gen(function* () {
        const caller = yield* funded
        for (const id of ["a", "b", "c"]) yield* create(caller, upstream.create(id, after(60_000, success)))
        return caller
      }).pipe(Effect.provide(live(upstream)))
      const again = create(caller, upstream.create("d", after(60_000, success))).pipe(Effect.provide(live(upstream)))
      expect(yield* again).toMatchObject({ code: "rate_limit_exceeded" })
      yield* pass("66 seconds").pipe(Effect.provide(live(upstream)))
      expect(yield* again).toMatchObject({ status: 200 })
    }).pipe(Effect.provide(store()))
  )

  it.effect("and keys that came from one another by rotation share their places", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        for (const id of ["a", "b"]) yield* create(caller, upstream.create(id, after(60_000, success)))
        const accounts = yield* Accounts
        const { value } = yield* accounts.rotateKey(caller.key, 60_000)
        const {
          account,
          key = "",
          purse = ""
        } = Option.getOrThrow(yield* Keys.use(({ find }) => find(Redacted.value(value))))
        const next = { account, key, purse }
        expect(yield* create(next, upstream.create("c", after(60_000, success)))).toMatchObject({ status: 200 })
        for (const one of [caller, next]) {
          expect(yield* create(one, Effect.die("sent"))).toMatchObject({ code: "rate_limit_exceeded" })
        }
      })
    )
  )
})

it.effect(
  "a thousand tasks end on time, with so many looks at once and no more",
  () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const { concurrency, mostMillis } = yield* Watching
        const callers: Array<Caller> = []
        for (let i = 0; i < 334; i++) callers.push(yield* funded)
        upstream.millis = 100
        const begun = yield* Effect.forEach(
          Array.from({ length: 1_000 }),
          (_, i) => create(callers[i % 334]!, upstream.create(`t${i}`, after(8_000 + (i % 20) * 500, success))),
          { concurrency: 50 }
        )
        expect(begun.every(({ status }) => status === 200)).toBe(true)
        yield* pass("59 seconds")
        yield* pass(mostMillis + 1_000)
        const sql = yield* SqlClient
        expect(yield* sql`SELECT state, COUNT(*) AS n FROM calls GROUP BY state`).toEqual([
          { state: "settled", n: 1_000 }
        ])
        const [late] = yield* sql<{ readonly millis: number }>`
        SELECT MAX(t.ended_at - t.created_at - (8000 + (SUBSTR(t.upstream, 2) % 20) * 500)) AS millis FROM tasks t`
        expect(late?.millis).toBeLessThanOrEqual(mostMillis + 1_000)
        expect(upstream.most).toBe(concurrency)
        expect(upstream.asked.length).toBeLessThan(8_000)
        expect(yield* audited).toEqual(clean)
      })
    ),
  60_000
)

const ends = {
  success,
  failure: (id: string) => task(id, "FAILED", { code: "x", message: "y" }),
  cancellation: (id: string) => task(id, "CANCELED"),
  loss: (id: string) => task(id, "UNKNOWN")
}

type End = keyof typeof ends

type Step =
  | { readonly do: "create"; readonly who: number; readonly millis: number; readonly end: End }
  | { readonly do: "bad"; readonly who: number }
  | { readonly do: "wait"; readonly millis: number }
  | { readonly do: "poll"; readonly which: number }
  | { readonly do: "restart" }

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

/** What is set aside is what running tasks, and calls whose end is not known, may still cost. */
const reckoned = Effect.fnUntraced(function* (callers: ReadonlyArray<Caller>) {
  const sql = yield* SqlClient
  const calls = yield* sql<Amounts>`SELECT state, account, reserved FROM calls WHERE ended_at IS NULL`
  for (const { account } of callers) {
    const of = calls.filter((call) => call.account === account)
    expect(of.filter(({ state }) => state === "running").length).toBeLessThanOrEqual(3)
    const [row] = yield* sql<Amounts>`SELECT reserved FROM accounts WHERE id = ${account}`
    expect(row?.reserved).toBe(of.reduce((sum, { reserved }) => sum + reserved, 0))
  }
  expect((yield* Audit.run).differences).toEqual([])
})

const scene = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const upstream = new Upstream()
  const begun: Array<{ readonly caller: Caller; readonly id: string; readonly call: string; readonly end: End }> = []
  const callers = yield* Effect.all([funded, funded, funded]).pipe(Effect.provide(live(upstream)))
  const run = Effect.fnUntraced(function* (life: ReadonlyArray<Step>) {
    for (const one of life) {
      if (one.do === "wait") yield* pass(one.millis)
      if (one.do === "bad") yield* create(callers[one.who]!, Effect.succeed("{}"))
      if (one.do === "create") {
        const caller = callers[one.who]!
        const plan = after(one.millis, ends[one.end])
        const { call, id, status } = yield* create(caller, upstream.create(`t${begun.length}`, plan))
        if (status === 200) begun.push({ caller, id, call, end: one.end })
      }
      const polled = one.do === "poll" ? begun[one.which] : undefined
      if (polled !== undefined) yield* poll(polled.caller, polled.id)
      yield* reckoned(callers)
    }
  })
  const lives: Array<Array<Step>> = [[]]
  for (const one of steps) {
    if (one.do === "restart") lives.push([])
    else lives.at(-1)!.push(one)
  }
  for (const life of lives) yield* run(life).pipe(Effect.provide(live(upstream)))
  yield* pass("2 hours").pipe(Effect.provide(live(upstream)))
  yield* reckoned(callers)
  const states = { success: "settled", failure: "released", cancellation: "settled", loss: "written_off" }
  for (const { call, end } of begun) {
    const charged = end === "success" ? Number(micros) : 0
    expect(yield* callOf(call)).toMatchObject({ state: states[end], charged })
  }
})

it.effect(
  "whatever happens, what is set aside is what is running, and each task that succeeds is paid once",
  () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) =>
          Effect.runPromise(
            scene(steps).pipe(Effect.provide(store()), Effect.provide(TestClock.layer()), Effect.scoped)
          )
        ),
        { numRuns: 25, seed: 1, verbose: 0 }
      )
    ),
  60_000
)
