import { describe, expect, it } from "@effect/vitest"
import { nano } from "@tollgate/contract/Money"
import { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { Audit } from "@tollgate/gateway"
import { refuse } from "@tollgate/gateway/Refused"
import { ReportedCost } from "@tollgate/gateway/task/ReportedCost"
import { Watching } from "@tollgate/gateway/task/Watching"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import {
  after,
  callOf,
  create,
  funded,
  micros,
  pass,
  poll,
  purse,
  reply,
  services,
  store,
  success,
  task,
  Upstream
} from "@tollgate/testing/task/setup"

const isTask = Schema.is(VideoTask)

const withUpstream = <A, E, R>(
  body: (upstream: Upstream) => Effect.Effect<A, E, R>,
  more: Layer.Layer<never> = Layer.empty
) => {
  const upstream = new Upstream()
  return body(upstream).pipe(
    Effect.provide(services(upstream.carrier).pipe(Layer.provide(more), Layer.provideMerge(store())))
  )
}

const audited = Effect.map(Audit.run, ({ differences, running }) => ({ differences, running: running.length }))
const clean = { differences: [], running: 0 }

describe("a task", () => {
  it.effect("begins under an id of our own, and what it may cost stays set aside", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const begun = yield* create(caller, upstream.create("theirs-1", after(10_000, success)))
        expect(begun).toMatchObject({ status: 200, cost: "pending" })
        expect(begun.id).toMatch(/^task_[0-9a-f]{32}$/)
        expect(begun.body).toMatchObject({ output: { task_status: "PENDING" }, request_id: "theirs" })
        expect(yield* callOf(begun.call)).toMatchObject({ state: "running", reserved: Number(micros), charged: 0 })
        expect(yield* purse(caller.account)).toEqual({ spent: 0n, reserved: micros })
        const { differences, running } = yield* Audit.run
        expect(differences).toEqual([])
        expect(running).toEqual([
          expect.objectContaining({
            id: begun.call,
            task: begun.id,
            provider: "video",
            status: "PENDING",
            reserved: micros
          })
        ])
      })
    )
  )

  it.effect("and its call are missed by an audit where one is without the other", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const begun = yield* create(yield* funded, upstream.create("t", after(10_000, success)))
        const sql = yield* SqlClient
        const found = (statement: string) =>
          Effect.flip(
            sql.withTransaction(
              Effect.andThen(
                sql.unsafe(statement),
                Effect.flatMap(Audit.run, ({ differences }) => Effect.fail(differences))
              )
            )
          )
        const call = { table: "calls", column: "state", id: begun.call }
        expect(yield* found("UPDATE tasks SET ended_at = 1")).toMatchObject([call])
        expect(yield* found("DELETE FROM tasks")).toMatchObject([call])
        expect(yield* found("DELETE FROM calls")).toContainEqual(
          expect.objectContaining({ table: "tasks", column: "call", id: begun.id })
        )
      })
    )
  )

  it.effect("is settled in full when it succeeds, though nobody polls", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const begun = yield* create(caller, upstream.create("theirs-1", after(10_000, success)))
        yield* pass("9 seconds")
        expect(yield* purse(caller.account)).toEqual({ spent: 0n, reserved: micros })
        expect((yield* Audit.run).running).toMatchObject([{ id: begun.call, status: "RUNNING" }])
        yield* pass("5 seconds")
        expect(yield* callOf(begun.call)).toEqual({
          state: "settled",
          reserved: Number(micros),
          charged: Number(micros),
          evidence: '{"kind":"task","status":"SUCCEEDED"}'
        })
        expect(yield* purse(caller.account)).toEqual({ spent: micros, reserved: 0n })
        expect(yield* audited).toEqual(clean)
        const looks = upstream.asked.length
        yield* pass("1 hour")
        expect(upstream.asked.length).toBe(looks)
      })
    )
  )

  it.effect("is looked at with the gateway's own credential, less often as time goes by", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const begun = yield* create(caller, upstream.create("a/b", after(60_000, success)))
        const times: Array<number> = []
        for (let second = 0; second < 400; second++) {
          const before = upstream.asked.length
          yield* TestClock.adjust("100 millis")
          if (upstream.asked.length > before) times.push((second + 1) / 10)
        }
        expect(times.slice(0, 7)).toEqual([1, 2.5, 4.8, 8.2, 13.2, 18.2, 23.2])
        expect(upstream.asked[0]).toMatchObject({
          method: "GET",
          origin: "https://upstream.invalid",
          path: "/base/apis/v1/services/aigc/tasks/a%2Fb",
          headers: { authorization: "Bearer of-the-gateway", "x-extra": "yes", "x-request-id": begun.call },
          private: true
        })
      })
    )
  )

  it.effect("costs nothing when it fails, and says why in flat fields", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const failure = (id: string) => task(id, "FAILED", { code: "InternalError", message: "no luck" })
        const begun = yield* create(caller, upstream.create("t", after(1_000, failure)))
        yield* pass("2 seconds")
        const { body } = yield* poll(caller, begun.id)
        expect(body.output).toEqual({
          task_id: begun.id,
          task_status: "FAILED",
          code: "InternalError",
          message: "no luck",
          submit_time: "1970-01-01 00:00:00.000",
          end_time: "1970-01-01 00:00:01.000"
        })
        expect(yield* callOf(begun.call)).toMatchObject({ state: "released", charged: 0 })
        expect(yield* purse(caller.account)).toEqual({ spent: 0n, reserved: 0n })
        expect(yield* audited).toEqual(clean)
      })
    )
  )

  it.effect("costs what was agreed on when it was asked for", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = { ...(yield* funded), multiplier: 1_450_000n }
        const begun = yield* create(caller, upstream.create("t", after(1_000, success)))
        expect(yield* purse(caller.account)).toEqual({ spent: 0n, reserved: 72_500n })
        yield* pass("2 seconds")
        expect(yield* purse(caller.account)).toEqual({ spent: 72_500n, reserved: 0n })
        const sql = yield* SqlClient
        expect(yield* sql`SELECT value, charged_nano FROM calls WHERE id = ${begun.call}`).toEqual([
          { value: Number(micros), charged_nano: 72_500_000 }
        ])
        expect(yield* audited).toEqual(clean)
      })
    )
  )

  const canceled = (id: string) => task(id, "CANCELED", {}, { usage: { output_video_duration: 2.5, cost: 20_000_000 } })

  it.effect("that is canceled costs nothing where no amount is reported", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const begun = yield* create(caller, upstream.create("t", after(1_000, canceled)))
        yield* pass("2 seconds")
        expect((yield* poll(caller, begun.id)).body).toMatchObject({
          output: { task_status: "CANCELED" },
          usage: { output_video_duration: 2.5 }
        })
        expect(yield* callOf(begun.call)).toMatchObject({ state: "settled", charged: 0 })
        expect(yield* purse(caller.account)).toEqual({ spent: 0n, reserved: 0n })
        expect(yield* audited).toEqual(clean)
      })
    )
  )

  it.effect("that is canceled costs what is reported, and no more than the whole", () =>
    Effect.gen(function* () {
      const charged = (factor: bigint) =>
        withUpstream(
          Effect.fnUntraced(function* (upstream) {
            const caller = yield* funded
            yield* create(caller, upstream.create("t", after(1_000, canceled)))
            yield* pass("2 seconds")
            expect(yield* audited).toEqual(clean)
            return (yield* purse(caller.account)).spent
          }),
          Layer.succeed(ReportedCost, (usage) => nano(factor * BigInt((usage as { readonly cost: number }).cost)))
        )
      expect(yield* charged(1n)).toBe(20_000n)
      expect(yield* charged(100n)).toBe(micros)
    })
  )

  it.effect("that the upstream has forgotten is held, and the gateway bears it", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const forgotten = yield* create(
          caller,
          upstream.create(
            "a",
            after(1_000, (id) => task(id, "UNKNOWN"))
          )
        )
        const gone = yield* create(
          caller,
          upstream.create("b", (_, passed) => (passed < 2_000 ? reply(task("b", "RUNNING")) : reply("gone", 404)))
        )
        yield* pass("5 minutes")
        expect((yield* poll(caller, forgotten.id)).body.output).toMatchObject({ task_status: "UNKNOWN" })
        expect(yield* callOf(forgotten.call)).toMatchObject({ state: "running" })
        expect(yield* purse(caller.account)).toEqual({ spent: 0n, reserved: 2n * micros })
        yield* pass("6 minutes")
        for (const { call, id } of [forgotten, gone]) {
          expect(yield* callOf(call)).toMatchObject({ state: "unknown" })
          expect((yield* poll(caller, id)).body.output).toEqual({ task_id: id, task_status: "UNKNOWN" })
        }
        expect(yield* audited).toEqual(clean)
        yield* pass("1 hour")
        expect(yield* callOf(gone.call)).toMatchObject({ state: "written_off", charged: 0 })
        expect(yield* purse(caller.account)).toEqual({ spent: 0n, reserved: 0n })
      })
    )
  )

  it.effect("that was only missing for a while goes on", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const begun = yield* create(
          caller,
          upstream.create("t", (id, passed) => {
            const minutes = passed / 60_000
            return reply(
              minutes > 25 ? success(id) : task(id, Math.floor(minutes / 8) % 2 === 1 ? "UNKNOWN" : "RUNNING")
            )
          })
        )
        yield* pass("26 minutes")
        expect(yield* callOf(begun.call)).toMatchObject({ state: "settled", charged: Number(micros) })
      })
    )
  )

  it.effect("that never ends is given up on time", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const begun = yield* create(
          caller,
          upstream.create("t", (id) => reply(task(id, "RUNNING")))
        )
        yield* pass("9999 millis")
        expect(yield* callOf(begun.call)).toMatchObject({ state: "running" })
        yield* pass("1 millis")
        expect(yield* callOf(begun.call)).toMatchObject({ state: "unknown" })
        expect(yield* audited).toEqual(clean)
      }),
      Layer.succeed(Watching, {
        firstMillis: 1_000,
        mostMillis: 5_000,
        concurrency: 2,
        lostMillis: 1e9,
        giveUpMillis: 10_000,
        keptMillis: 1e9
      })
    )
  )

  it.effect("is not known any more some hours after its end", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const begun = yield* create(caller, upstream.create("t", after(1_000, success)))
        yield* pass("5 hours")
        expect((yield* poll(caller, begun.id)).body.output).toMatchObject({ task_status: "SUCCEEDED" })
        yield* pass("1 hour")
        yield* pass("1 second")
        const { body, call } = yield* poll(caller, begun.id)
        expect(body).toEqual({ output: { task_id: begun.id, task_status: "UNKNOWN" }, request_id: call })
        yield* pass("1 minute")
        expect(yield* audited).toEqual(clean)
        expect(yield* Effect.flatMap(SqlClient, (sql) => sql`SELECT id FROM tasks`)).toEqual([])
        expect((yield* poll(caller, begun.id)).body.output).toMatchObject({ task_status: "UNKNOWN" })
      })
    )
  )
})

describe("a create", () => {
  it.effect("of an upstream that names no task is held", () =>
    withUpstream(
      Effect.fnUntraced(function* () {
        const caller = yield* funded
        for (const body of [
          "{}",
          "<html>",
          '{"output":{"task_status":"PENDING"}}',
          '{"output":{"task_id":""}}',
          '{"output":{"task_id":7}}',
          '{"output":{"task_id":"a b"}}'
        ]) {
          const refused = yield* create(caller, Effect.succeed(body))
          expect(refused.code).toBe("upstream_failed")
          expect(yield* callOf(refused.call)).toMatchObject({ state: "unknown" })
        }
        expect(yield* purse(caller.account)).toEqual({ spent: 0n, reserved: 6n * micros })
        expect(yield* audited).toEqual(clean)
      })
    )
  )

  it.effect("that names a task begins it, whatever it says of its state", () =>
    withUpstream(
      Effect.fnUntraced(function* () {
        for (const status of ["SUCCEEDED", "odd", undefined]) {
          const caller = yield* funded
          const begun = yield* create(
            caller,
            Effect.succeed(JSON.stringify({ output: { task_id: "x", task_status: status } }))
          )
          expect(begun).toMatchObject({ cost: "pending", body: { request_id: begun.call } })
          expect(yield* callOf(begun.call)).toMatchObject({ state: "running" })
        }
      })
    )
  )

  it.effect("that is refused or lost ends as every call does", () =>
    withUpstream(
      Effect.fnUntraced(function* () {
        const caller = yield* funded
        const bad = yield* create(caller, Effect.succeed('{"code":"Bad","message":"no"}'), undefined, 400)
        expect(bad).toMatchObject({ status: 400, cost: "none", body: { code: "Bad" } })
        expect(yield* callOf(bad.call)).toMatchObject({ state: "released" })
        const lost = yield* create(caller, Effect.fail(refuse("upstream_timeout", "late")))
        expect(lost.code).toBe("upstream_timeout")
        expect(yield* callOf(lost.call)).toMatchObject({ state: "unknown" })
      })
    )
  )

  it.effect("is answered again under its idempotency key, with the same task", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const idempotency = { id: "once", payload: "p", replay: true }
        const begun = yield* create(caller, upstream.create("t", after(5_000, success)), idempotency)
        const twice = create(caller, Effect.die("asked twice"), idempotency)
        expect(yield* twice).toMatchObject({ id: begun.id, cost: "replayed", body: begun.body })
        // Not one too many either.
        yield* create(caller, upstream.create("u", after(60_000, success)))
        yield* create(caller, upstream.create("v", after(60_000, success)))
        expect(yield* twice).toMatchObject({ id: begun.id, cost: "replayed" })
        expect(yield* create(caller, Effect.die("asked twice"), { ...idempotency, replay: false })).toMatchObject({
          code: "idempotency_completed"
        })
        yield* pass("10 seconds")
        expect(yield* callOf(begun.call)).toMatchObject({ state: "settled" })
        expect(yield* twice).toMatchObject({ id: begun.id, cost: "replayed" })
        expect((yield* audited).differences).toEqual([])
      })
    )
  )

  it.effect("keeps what the upstream said, but for its id of the task", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const text = upstream.create("theirs-1", after(5_000, success))
        const begun = yield* create(caller, text)
        expect(JSON.stringify(begun.body)).not.toContain("theirs-1")
        expect(begun.body["more"]).toBe("kept")
      })
    )
  )
})

describe("three tasks at once for a key", () => {
  it.effect("and one more is refused before anything is sent, until one ends", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const first = yield* create(caller, upstream.create("a", after(5_000, success)))
        for (const id of ["b", "c"]) yield* create(caller, upstream.create(id, after(60_000, success)))
        const refused = yield* create(caller, Effect.die("sent"))
        expect(refused).toMatchObject({ code: "rate_limit_exceeded", retryAfter: 5_000 })
        expect(yield* callOf(refused.call)).toMatchObject({ state: "released", charged: 0 })
        expect(yield* purse(caller.account)).toEqual({ spent: 0n, reserved: 3n * micros })
        // Another key has its own.
        expect((yield* create(yield* funded, upstream.create("d", after(1_000, success)))).status).toBe(200)
        yield* pass("9 seconds")
        expect(yield* callOf(first.call)).toMatchObject({ state: "settled" })
        expect((yield* create(caller, upstream.create("e", after(1_000, success)))).status).toBe(200)
        expect((yield* audited).differences).toEqual([])
      })
    )
  )

  it.effect("however many ask at the same time", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        yield* create(caller, upstream.create("first", after(60_000, success)))
        const slow = (i: number) =>
          Effect.andThen(Effect.sleep(i % 3), upstream.create(`t${i}`, after(60_000, success)))
        const fibers = yield* Effect.forEach(Array.from({ length: 40 }), (_, i) =>
          Effect.forkChild(create(caller, slow(i)))
        )
        yield* pass("100 millis")
        const outcomes = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
        expect(outcomes.filter(({ status }) => status === 200).length).toBe(2)
        expect(yield* purse(caller.account)).toEqual({ spent: 0n, reserved: 3n * micros })
      })
    )
  )

  it.effect("gives a place back when a create fails, and when its caller leaves", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        for (let i = 0; i < 5; i++) {
          yield* create(caller, Effect.fail(refuse("upstream_unreachable", "away")))
          yield* create(caller, Effect.succeed("{}"), undefined, 500)
          yield* Effect.timeoutOption(create(caller, Effect.never), 0).pipe(Effect.forkChild)
          yield* pass(0)
        }
        for (const id of ["a", "b", "c"]) {
          expect((yield* create(caller, upstream.create(id, after(60_000, success)))).status).toBe(200)
        }
      })
    )
  )
})

describe("a poll", () => {
  it.effect("shows every state as the contract has it, under the request's own id", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const begun = yield* create(caller, upstream.create("theirs-1", after(10_000, success)))
        const states: Array<unknown> = []
        for (let i = 0; i < 7; i++) {
          const { body, call } = yield* poll(caller, begun.id)
          expect(isTask(body)).toBe(true)
          expect(body).toMatchObject({ output: { task_id: begun.id }, request_id: call })
          expect(JSON.stringify(body).replace(/"video_url":"[^"]*"/, "")).not.toContain("theirs-1")
          states.push(body.output["task_status"])
          yield* pass("1900 millis")
        }
        expect(states).toEqual(["PENDING", "PENDING", "RUNNING", "RUNNING", "RUNNING", "RUNNING", "SUCCEEDED"])
        const { body, call } = yield* poll(caller, begun.id)
        expect(body).toEqual({
          ...success("theirs-1"),
          output: { ...success("theirs-1").output, task_id: begun.id },
          request_id: call
        })
      })
    )
  )

  it.effect("of what is not the account's own is UNKNOWN, and no look is taken", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const other = yield* funded
        const begun = yield* create(caller, upstream.create("t", after(1_000, success)))
        const known = { status: 200, body: { output: { task_id: begun.id, task_status: "UNKNOWN" } } }
        expect(yield* poll(other, begun.id)).toMatchObject(known)
        expect(upstream.asked.length).toBe(0)
        for (const id of ["x", `task_${"0".repeat(32)}`, '"}{']) {
          const { body, call } = yield* poll(caller, id)
          expect(body).toEqual({ output: { task_id: id, task_status: "UNKNOWN" }, request_id: call })
        }
        yield* pass("2 seconds")
        expect(yield* poll(other, begun.id)).toMatchObject(known)
        expect(yield* poll(caller, begun.id)).toMatchObject({ body: { output: { task_status: "SUCCEEDED" } } })
        // Another key of the account's may ask.
        expect(yield* poll({ ...caller, key: "another" }, begun.id)).toMatchObject({
          body: { output: { task_status: "SUCCEEDED" } }
        })
      })
    )
  )

  it.effect("more often than twice a second is refused, whether there is such a task or not", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const other = yield* funded
        const begun = yield* create(caller, upstream.create("t", after(60_000, success)))
        for (const [who, id] of [
          [caller, begun.id],
          [other, begun.id],
          [caller, "none"]
        ] as const) {
          const outcomes = yield* Effect.all([poll(who, id), poll(who, id), poll(who, id)])
          expect(outcomes.map(({ code }) => code)).toEqual([undefined, undefined, "rate_limit_exceeded"])
          expect(outcomes[2]?.retryAfter).toBe(500)
        }
        yield* pass("499 millis")
        expect((yield* poll(caller, begun.id)).code).toBe("rate_limit_exceeded")
        yield* pass("1 millis")
        expect((yield* poll(caller, begun.id)).code).toBe(undefined)
      })
    )
  )

  it.effect("takes a look of its own where the last is old, one for all who ask", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const begun = yield* create(caller, upstream.create("t", after(20_000, success)))
        yield* pass("17 seconds")
        const before = upstream.asked.length
        upstream.millis = 100
        const fibers = yield* Effect.forEach([1, 2, 3, 4], (key) =>
          Effect.forkChild(poll({ ...caller, key: String(key) }, begun.id))
        )
        yield* pass("100 millis")
        yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
        expect(upstream.asked.length).toBe(before + 1)
        yield* pass("500 millis")
        yield* poll(caller, begun.id)
        expect(upstream.asked.length).toBe(before + 1)
      })
    )
  )

  it.effect("that sees the end is as good as a look of the watcher's", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const begun = yield* create(caller, upstream.create("t", after(15_000, success)))
        // The next look would be in a second.
        yield* pass("17 seconds")
        expect(yield* callOf(begun.call)).toMatchObject({ state: "running" })
        expect((yield* poll(caller, begun.id)).body.output).toMatchObject({ task_status: "SUCCEEDED" })
        expect(yield* callOf(begun.call)).toMatchObject({ state: "settled" })
        const looks = upstream.asked.length
        yield* pass("1 minute")
        expect((yield* poll(caller, begun.id)).body.output).toMatchObject({ task_status: "SUCCEEDED" })
        expect(upstream.asked.length).toBe(looks)
      })
    )
  )

  it.effect("does not wait long for an upstream that hangs", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* funded
        const begun = yield* create(
          caller,
          upstream.create("t", () => Effect.never)
        )
        yield* pass("1 second")
        const fiber = yield* Effect.forkChild(poll(caller, begun.id))
        yield* pass("2 seconds")
        expect(yield* Fiber.join(fiber)).toMatchObject({ status: 200, body: { output: { task_status: "PENDING" } } })
      })
    )
  )
})
