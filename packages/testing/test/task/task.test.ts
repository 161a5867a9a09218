import { describe, expect, it } from "@effect/vitest"
import { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { Audit } from "@tollgate/gateway"
import { refuse } from "@tollgate/contract/errors/Refused"
import { WatchSettings } from "@tollgate/gateway/call/task/WatchedTask"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import {
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
import { endsAfter, reply, success, report, Upstream } from "@tollgate/testing/task/Upstream"

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

const auditSummary = Effect.map(Audit.run, ({ differences, running }) => ({ differences, running: running.length }))
const clean = { differences: [], running: 0 }

describe("a task", () => {
  it.effect("gets an id of the gateway, and its price stays reserved", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const created = yield* create(caller, upstream.create("theirs-1", endsAfter(10_000, success)))
        expect(created).toMatchObject({ status: 200, cost: "pending" })
        expect(created.id).toMatch(/^task_[0-9a-f]{32}$/)
        expect(created.body).toMatchObject({ output: { task_status: "PENDING" }, request_id: "theirs" })
        expect(yield* callOf(created.call)).toMatchObject({ state: "running", reserved: Number(micros), charged: 0 })
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 0n, reserved: micros })
        const { differences, running } = yield* Audit.run
        expect(differences).toEqual([])
        expect(running).toEqual([
          expect.objectContaining({
            id: created.call,
            task: created.id,
            provider: "video",
            status: "PENDING",
            reserved: micros
          })
        ])
      })
    )
  )

  it.effect("without its call, or a call without its task, is found by the audit", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const created = yield* create(yield* fundedCaller, upstream.create("t", endsAfter(10_000, success)))
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
        const call = { table: "calls", column: "state", id: created.call }
        expect(yield* found("UPDATE tasks SET ended_at = 1")).toMatchObject([call])
        expect(yield* found("DELETE FROM tasks")).toMatchObject([call])
        expect(yield* found("DELETE FROM calls")).toContainEqual(
          expect.objectContaining({ table: "tasks", column: "call", id: created.id })
        )
      })
    )
  )

  it.effect("is settled in full when it succeeds, even if nobody polls it", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const created = yield* create(caller, upstream.create("theirs-1", endsAfter(10_000, success)))
        yield* advance("9 seconds")
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 0n, reserved: micros })
        expect((yield* Audit.run).running).toMatchObject([{ id: created.call, status: "RUNNING" }])
        yield* advance("5 seconds")
        expect(yield* callOf(created.call)).toEqual({
          state: "settled",
          reserved: Number(micros),
          charged: Number(micros),
          evidence: '{"kind":"task","status":"SUCCEEDED"}'
        })
        expect(yield* balanceOf(caller.account)).toEqual({ spent: micros, reserved: 0n })
        expect(yield* auditSummary).toEqual(clean)
        const polls = upstream.polls.length
        yield* advance("1 hour")
        expect(upstream.polls.length).toBe(polls)
      })
    )
  )

  it.effect("is polled with the gateway's credential, at growing intervals", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const created = yield* create(caller, upstream.create("a/b", endsAfter(60_000, success)))
        const times: Array<number> = []
        for (let second = 0; second < 400; second++) {
          const before = upstream.polls.length
          yield* TestClock.adjust("100 millis")
          if (upstream.polls.length > before) times.push((second + 1) / 10)
        }
        expect(times.slice(0, 7)).toEqual([1, 2.5, 4.8, 8.2, 13.2, 18.2, 23.2])
        expect(upstream.polls[0]).toMatchObject({
          method: "GET",
          origin: "https://upstream.invalid",
          path: "/base/apis/v1/services/aigc/tasks/a%2Fb",
          headers: { authorization: "Bearer of-the-gateway", "x-extra": "yes", "x-request-id": created.call },
          private: true
        })
      })
    )
  )

  it.effect("costs nothing when it fails, and shows the reason in flat fields", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const failure = (id: string) => report(id, "FAILED", { code: "InternalError", message: "no luck" })
        const created = yield* create(caller, upstream.create("t", endsAfter(1_000, failure)))
        yield* advance("2 seconds")
        const { body } = yield* poll(caller, created.id)
        expect(body.output).toEqual({
          task_id: created.id,
          task_status: "FAILED",
          code: "InternalError",
          message: "no luck",
          submit_time: "1970-01-01 00:00:00.000",
          end_time: "1970-01-01 00:00:01.000"
        })
        expect(yield* callOf(created.call)).toMatchObject({ state: "released", charged: 0 })
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 0n, reserved: 0n })
        expect(yield* auditSummary).toEqual(clean)
      })
    )
  )

  it.effect.each(["FAILED", "CANCELED"] as const)("does not tell the upstream's credential when it is %s", (status) =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const ended = (id: string) => report(id, status, { message: "wrong key: Bearer of-the-gateway" })
        const created = yield* create(caller, upstream.create("t", endsAfter(1_000, ended)))
        yield* advance("2 seconds")
        const { body } = yield* poll(caller, created.id)
        expect(body.output).toMatchObject({ task_status: status, message: "wrong key: Bearer [redacted]" })
        const stored = yield* SqlClient.use((sql) => sql`SELECT * FROM tasks`)
        expect(JSON.stringify(stored)).toContain(status)
        expect(JSON.stringify(stored)).not.toContain("of-the-gateway")
      })
    )
  )

  it.effect("costs the price at the time of the create, with the account's multiplier", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = { ...(yield* fundedCaller), multiplier: 1_450_000n }
        const created = yield* create(caller, upstream.create("t", endsAfter(1_000, success)))
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 0n, reserved: 72_500n })
        yield* advance("2 seconds")
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 72_500n, reserved: 0n })
        const sql = yield* SqlClient
        expect(yield* sql`SELECT value, charged_nano FROM calls WHERE id = ${created.call}`).toEqual([
          { value: Number(micros), charged_nano: 72_500_000 }
        ])
        expect(yield* auditSummary).toEqual(clean)
      })
    )
  )

  const canceled = (id: string) =>
    report(id, "CANCELED", {}, { usage: { output_video_duration: 2.5, cost: 20_000_000 } })

  it.effect("costs nothing when it is canceled and no cost is reported", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const created = yield* create(caller, upstream.create("t", endsAfter(1_000, canceled)))
        yield* advance("2 seconds")
        expect((yield* poll(caller, created.id)).body).toMatchObject({
          output: { task_status: "CANCELED" },
          usage: { output_video_duration: 2.5 }
        })
        expect(yield* callOf(created.call)).toMatchObject({ state: "settled", charged: 0 })
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 0n, reserved: 0n })
        expect(yield* auditSummary).toEqual(clean)
      })
    )
  )

  it.effect("that the upstream no longer knows ends as unknown, and its money is free", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const forgotten = yield* create(
          caller,
          upstream.create(
            "a",
            endsAfter(1_000, (id) => report(id, "UNKNOWN"))
          )
        )
        const gone = yield* create(
          caller,
          upstream.create("b", (_, elapsed) => (elapsed < 2_000 ? reply(report("b", "RUNNING")) : reply("gone", 404)))
        )
        yield* advance("5 minutes")
        expect((yield* poll(caller, forgotten.id)).body.output).toMatchObject({ task_status: "UNKNOWN" })
        expect(yield* callOf(forgotten.call)).toMatchObject({ state: "running" })
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 0n, reserved: 2n * micros })
        yield* advance("6 minutes")
        for (const { call, id } of [forgotten, gone]) {
          expect(yield* callOf(call)).toMatchObject({ state: "unknown" })
          expect((yield* poll(caller, id)).body.output).toEqual({ task_id: id, task_status: "UNKNOWN" })
        }
        expect(yield* auditSummary).toEqual(clean)
        expect(yield* callOf(gone.call)).toMatchObject({ charged: 0 })
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 0n, reserved: 0n })
      })
    )
  )

  it.effect("that the upstream does not know for a while continues afterwards", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const created = yield* create(
          caller,
          upstream.create("t", (id, elapsed) => {
            const minutes = elapsed / 60_000
            return reply(
              minutes > 25 ? success(id) : report(id, Math.floor(minutes / 8) % 2 === 1 ? "UNKNOWN" : "RUNNING")
            )
          })
        )
        yield* advance("26 minutes")
        expect(yield* callOf(created.call)).toMatchObject({ state: "settled", charged: Number(micros) })
      })
    )
  )

  it.effect("that never ends is given up at the deadline", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const created = yield* create(
          caller,
          upstream.create("t", (id) => reply(report(id, "RUNNING")))
        )
        yield* advance("9999 millis")
        expect(yield* callOf(created.call)).toMatchObject({ state: "running" })
        yield* advance("1 millis")
        expect(yield* callOf(created.call)).toMatchObject({ state: "unknown" })
        expect(yield* auditSummary).toEqual(clean)
      }),
      Layer.succeed(WatchSettings, {
        firstMillis: 1_000,
        maxMillis: 5_000,
        concurrency: 2,
        notFoundMillis: 1e9,
        giveUpMillis: 10_000,
        keptMillis: 1e9
      })
    )
  )

  it.effect("that was given up and then succeeds is settled, once", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const late = (minutes: number, end: (id: string) => unknown) => (id: string, elapsed: number) =>
          elapsed < minutes * 60_000 ? reply("gone", 404) : reply(end(id))
        const succeeds = yield* create(caller, upstream.create("a", late(40, success)))
        const asked = yield* create(caller, upstream.create("b", late(15, success)))
        const fails = yield* create(
          caller,
          upstream.create(
            "c",
            late(40, (id) => report(id, "FAILED"))
          )
        )
        yield* advance("11 minutes")
        for (const { call } of [succeeds, asked, fails]) expect(yield* callOf(call)).toMatchObject({ state: "unknown" })
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 0n, reserved: 0n })
        // A poll finds the end before the watcher looks again.
        yield* advance("5 minutes")
        expect((yield* poll(caller, asked.id)).body.output).toMatchObject({ task_status: "SUCCEEDED" })
        expect(yield* callOf(asked.call)).toMatchObject({ state: "settled", charged: Number(micros) })
        expect((yield* poll(caller, succeeds.id)).body.output).toMatchObject({ task_status: "UNKNOWN" })
        yield* advance("40 minutes")
        expect(yield* callOf(succeeds.call)).toMatchObject({ state: "settled", charged: Number(micros) })
        expect(yield* callOf(fails.call)).toMatchObject({ state: "released", charged: 0 })
        expect(yield* poll(caller, succeeds.id)).toMatchObject({ cost: "settled", micros: Number(micros) })
        const polls = upstream.polls.length
        yield* advance("2 hours")
        expect(upstream.polls).toHaveLength(polls)
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 2n * micros, reserved: 0n })
        expect(yield* auditSummary).toEqual(clean)
      })
    )
  )

  it.effect("that was given up is not looked at for ever", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const created = yield* create(
          caller,
          upstream.create("t", () => reply("gone", 404))
        )
        yield* advance("11 minutes")
        const before = upstream.polls.length
        yield* advance("26 hours")
        const looks = upstream.polls.length - before
        expect(looks).toBeGreaterThan(50)
        yield* advance("5 hours")
        expect(upstream.polls.length - before).toBeLessThanOrEqual(24 * 6 + 1)
        expect(yield* callOf(created.call)).toMatchObject({ state: "unknown", charged: 0 })
        expect(yield* auditSummary).toEqual(clean)
      })
    )
  )

  it.effect("can be polled for six hours after its end", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const created = yield* create(caller, upstream.create("t", endsAfter(1_000, success)))
        yield* advance("5 hours")
        expect((yield* poll(caller, created.id)).body.output).toMatchObject({ task_status: "SUCCEEDED" })
        yield* advance("1 hour")
        yield* advance("1 second")
        const { body, call } = yield* poll(caller, created.id)
        expect(body).toEqual({ output: { task_id: created.id, task_status: "UNKNOWN" }, request_id: call })
        yield* advance("1 minute")
        expect(yield* auditSummary).toEqual(clean)
        expect(yield* Effect.flatMap(SqlClient, (sql) => sql`SELECT id FROM tasks`)).toEqual([])
        expect((yield* poll(caller, created.id)).body.output).toMatchObject({ task_status: "UNKNOWN" })
      })
    )
  )
})

describe("a create", () => {
  it.effect("whose answer names no task ends as unknown", () =>
    withUpstream(
      Effect.fnUntraced(function* () {
        const caller = yield* fundedCaller
        for (const body of [
          "{}",
          "<html>",
          '{"output":{"task_status":"PENDING"}}',
          '{"output":{"task_id":""}}',
          '{"output":{"task_id":7}}',
          '{"output":{"task_id":"a b"}}'
        ]) {
          const refused = yield* create(caller, Effect.succeed(body))
          expect(refused.code).toBe("answer_not_metered")
          expect(yield* callOf(refused.call)).toMatchObject({ state: "unknown" })
        }
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 0n, reserved: 0n })
        expect(yield* auditSummary).toEqual(clean)
      })
    )
  )

  it.effect("whose answer names a task starts it, whatever status it gives", () =>
    withUpstream(
      Effect.fnUntraced(function* () {
        for (const status of ["SUCCEEDED", "odd", undefined]) {
          const caller = yield* fundedCaller
          const created = yield* create(
            caller,
            Effect.succeed(JSON.stringify({ output: { task_id: `x-${status}`, task_status: status } }))
          )
          expect(created).toMatchObject({ cost: "pending", body: { request_id: created.call } })
          expect(yield* callOf(created.call)).toMatchObject({ state: "running" })
        }
      })
    )
  )

  it.effect("that the upstream refuses is released; one without an answer ends as unknown", () =>
    withUpstream(
      Effect.fnUntraced(function* () {
        const caller = yield* fundedCaller
        const bad = yield* create(caller, Effect.succeed('{"code":"Bad","message":"no"}'), undefined, 400)
        expect(bad).toMatchObject({ status: 400, cost: "none", body: { code: "Bad" } })
        expect(yield* callOf(bad.call)).toMatchObject({ state: "released" })
        const lost = yield* create(caller, Effect.fail(refuse("upstream_timeout", "late")))
        expect(lost.code).toBe("upstream_timeout")
        expect(yield* callOf(lost.call)).toMatchObject({ state: "unknown" })
      })
    )
  )

  it.effect("that an upstream answers with 5xx may have run: its key is refused as unknown", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const idempotency = { id: "once", payload: "p", replay: true }
        const failed = yield* create(caller, Effect.succeed("{}"), idempotency, 503)
        expect(failed).toMatchObject({ status: 503, cost: "unknown" })
        expect(yield* callOf(failed.call)).toMatchObject({ state: "unknown", charged: 0 })
        expect(yield* create(caller, Effect.die("sent twice"), idempotency)).toMatchObject({
          code: "idempotency_unknown"
        })
        // A refusal of the upstream, or no connection at all, proves that nothing ran.
        for (const proof of [
          create(caller, Effect.succeed("{}"), { ...idempotency, id: "4xx" }, 422),
          create(caller, Effect.fail(refuse("upstream_unreachable", "away")), { ...idempotency, id: "away" })
        ]) {
          yield* proof
        }
        const again = create(caller, upstream.create("t", endsAfter(1_000, success)), { ...idempotency, id: "4xx" })
        expect((yield* again).status).toBe(200)
        expect((yield* auditSummary).differences).toEqual([])
      })
    )
  )

  it.effect("with the same idempotency key is answered with the same task", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const idempotency = { id: "once", payload: "p", replay: true }
        const created = yield* create(caller, upstream.create("t", endsAfter(5_000, success)), idempotency)
        const replay = create(caller, Effect.die("sent twice"), idempotency)
        expect(yield* replay).toMatchObject({ id: created.id, cost: "replayed pending", body: created.body })
        // A replay takes no slot.
        yield* create(caller, upstream.create("u", endsAfter(60_000, success)))
        yield* create(caller, upstream.create("v", endsAfter(60_000, success)))
        expect(yield* replay).toMatchObject({ id: created.id, cost: "replayed pending" })
        expect(yield* create(caller, Effect.die("sent twice"), { ...idempotency, replay: false })).toMatchObject({
          code: "idempotency_completed"
        })
        yield* advance("10 seconds")
        expect(yield* callOf(created.call)).toMatchObject({ state: "settled" })
        expect(yield* replay).toMatchObject({ id: created.id, cost: "replayed settled" })
        expect((yield* auditSummary).differences).toEqual([])
      })
    )
  )

  it.effect("keeps its idempotency key however the task ends", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const ends: ReadonlyArray<[string, string, (id: string) => unknown]> = [
          ["SUCCEEDED", "settled", success],
          ["FAILED", "released", (id) => report(id, "FAILED")],
          ["CANCELED", "settled", (id) => report(id, "CANCELED")],
          ["UNKNOWN", "unknown", (id) => report(id, "UNKNOWN")]
        ]
        for (const [status, state, end] of ends) {
          const idempotency = { id: status, payload: "p", replay: true }
          const created = yield* create(caller, upstream.create(status, endsAfter(1_000, end)), idempotency)
          yield* advance("15 minutes")
          expect(yield* callOf(created.call)).toMatchObject({ state })
          const replay = create(caller, Effect.die("sent twice"), idempotency)
          expect(yield* replay).toMatchObject({ status: 200, id: created.id, body: created.body })
          yield* advance("7 hours")
          expect(yield* replay).toMatchObject({ status: 200, id: created.id })
          expect(yield* create(caller, Effect.die("sent twice"), { ...idempotency, replay: false })).toMatchObject({
            code: "idempotency_completed"
          })
          yield* advance("17 hours")
          const again = yield* create(caller, upstream.create(`${status} again`, endsAfter(1_000, end)), idempotency)
          expect(again.id).not.toBe(created.id)
        }
        expect((yield* auditSummary).differences).toEqual([])
      })
    )
  )

  it.effect("passes the upstream's answer on, with the gateway's task id in place of the upstream's", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const text = upstream.create("theirs-1", endsAfter(5_000, success))
        const created = yield* create(caller, text)
        expect(JSON.stringify(created.body)).not.toContain("theirs-1")
        expect(created.body["more"]).toBe("kept")
      })
    )
  )
})

describe("the limit of three concurrent tasks per key", () => {
  it.effect("refuses a fourth task before anything is sent, until one ends", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const first = yield* create(caller, upstream.create("a", endsAfter(5_000, success)))
        for (const id of ["b", "c"]) yield* create(caller, upstream.create(id, endsAfter(60_000, success)))
        const refused = yield* create(caller, Effect.die("sent"))
        expect(refused).toMatchObject({ code: "rate_limit_exceeded", retryAfter: 5_000 })
        expect(yield* callOf(refused.call)).toMatchObject({ state: "refused", charged: 0 })
        // A refusal is not a request.
        expect(yield* SqlClient.use((sql) => sql`SELECT * FROM usage_sums`)).toEqual([])
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 0n, reserved: 3n * micros })
        // Another key has its own limit.
        expect((yield* create(yield* fundedCaller, upstream.create("d", endsAfter(1_000, success)))).status).toBe(200)
        yield* advance("9 seconds")
        expect(yield* callOf(first.call)).toMatchObject({ state: "settled" })
        expect((yield* create(caller, upstream.create("e", endsAfter(1_000, success)))).status).toBe(200)
        expect((yield* auditSummary).differences).toEqual([])
      })
    )
  )

  it.effect("holds for 40 creates at the same time", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        yield* create(caller, upstream.create("first", endsAfter(60_000, success)))
        const slow = (i: number) =>
          Effect.andThen(Effect.sleep(i % 3), upstream.create(`t${i}`, endsAfter(60_000, success)))
        const fibers = yield* Effect.forEach(Array.from({ length: 40 }), (_, i) =>
          Effect.forkChild(create(caller, slow(i)))
        )
        yield* advance("100 millis")
        const outcomes = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
        expect(outcomes.filter(({ status }) => status === 200).length).toBe(2)
        expect(yield* balanceOf(caller.account)).toEqual({ spent: 0n, reserved: 3n * micros })
      })
    )
  )

  it.effect("frees the slot of a create that fails or whose caller disconnects", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        for (let i = 0; i < 5; i++) {
          yield* create(caller, Effect.fail(refuse("upstream_unreachable", "away")))
          yield* create(caller, Effect.succeed("{}"), undefined, 500)
          yield* Effect.timeoutOption(create(caller, Effect.never), 0).pipe(Effect.forkChild)
          yield* advance(0)
        }
        for (const id of ["a", "b", "c"]) {
          expect((yield* create(caller, upstream.create(id, endsAfter(60_000, success)))).status).toBe(200)
        }
      })
    )
  )
})

describe("a poll", () => {
  it.effect("shows every status in the contract's shape, with the id of the poll request", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const created = yield* create(caller, upstream.create("theirs-1", endsAfter(10_000, success)))
        const statuses: Array<unknown> = []
        for (let i = 0; i < 7; i++) {
          const { body, call } = yield* poll(caller, created.id)
          expect(isTask(body)).toBe(true)
          expect(body).toMatchObject({ output: { task_id: created.id }, request_id: call })
          expect(JSON.stringify(body).replace(/"video_url":"[^"]*"/, "")).not.toContain("theirs-1")
          statuses.push(body.output["task_status"])
          yield* advance("1900 millis")
        }
        expect(statuses).toEqual(["PENDING", "PENDING", "RUNNING", "RUNNING", "RUNNING", "RUNNING", "SUCCEEDED"])
        const { body, call } = yield* poll(caller, created.id)
        expect(body).toEqual({
          ...success("theirs-1"),
          output: { ...success("theirs-1").output, task_id: created.id },
          request_id: call
        })
      })
    )
  )

  it.effect("of another account's task answers UNKNOWN, and the upstream is not polled", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const other = yield* fundedCaller
        const created = yield* create(caller, upstream.create("t", endsAfter(1_000, success)))
        const known = { status: 200, body: { output: { task_id: created.id, task_status: "UNKNOWN" } } }
        expect(yield* poll(other, created.id)).toMatchObject(known)
        expect(upstream.polls.length).toBe(0)
        for (const id of ["x", `task_${"0".repeat(32)}`, '"}{']) {
          const { body, call } = yield* poll(caller, id)
          expect(body).toEqual({ output: { task_id: id, task_status: "UNKNOWN" }, request_id: call })
        }
        yield* advance("2 seconds")
        expect(yield* poll(other, created.id)).toMatchObject(known)
        expect(yield* poll(caller, created.id)).toMatchObject({ body: { output: { task_status: "SUCCEEDED" } } })
        // Any key of the account may poll.
        expect(yield* poll({ ...caller, key: "another" }, created.id)).toMatchObject({
          body: { output: { task_status: "SUCCEEDED" } }
        })
      })
    )
  )

  it.effect("more often than twice a second is refused, whether the task exists or not", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const other = yield* fundedCaller
        const created = yield* create(caller, upstream.create("t", endsAfter(60_000, success)))
        for (const [who, id] of [
          [caller, created.id],
          [other, created.id],
          [caller, "none"]
        ] as const) {
          const outcomes = yield* Effect.all([poll(who, id), poll(who, id), poll(who, id)])
          expect(outcomes.map(({ code }) => code)).toEqual([undefined, undefined, "rate_limit_exceeded"])
          expect(outcomes[2]?.retryAfter).toBe(500)
        }
        yield* advance("499 millis")
        expect((yield* poll(caller, created.id)).code).toBe("rate_limit_exceeded")
        yield* advance("1 millis")
        expect((yield* poll(caller, created.id)).code).toBe(undefined)
      })
    )
  )

  it.effect("polls the upstream if the last result is stale, once for all concurrent callers", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const created = yield* create(caller, upstream.create("t", endsAfter(20_000, success)))
        yield* advance("17 seconds")
        const before = upstream.polls.length
        upstream.pollMillis = 100
        const fibers = yield* Effect.forEach([1, 2, 3, 4], (key) =>
          Effect.forkChild(poll({ ...caller, key: String(key) }, created.id))
        )
        yield* advance("100 millis")
        yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
        expect(upstream.polls.length).toBe(before + 1)
        yield* advance("500 millis")
        yield* poll(caller, created.id)
        expect(upstream.polls.length).toBe(before + 1)
      })
    )
  )

  it.effect("that finds the end settles the task", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const created = yield* create(caller, upstream.create("t", endsAfter(15_000, success)))
        // The watcher would poll a second later.
        yield* advance("17 seconds")
        expect(yield* callOf(created.call)).toMatchObject({ state: "running" })
        expect(yield* poll(caller, created.id)).toMatchObject({
          body: { output: { task_status: "SUCCEEDED" } },
          cost: "settled",
          micros: Number(micros)
        })
        expect(yield* callOf(created.call)).toMatchObject({ state: "settled" })
        const polls = upstream.polls.length
        yield* advance("1 minute")
        expect(yield* poll(caller, created.id)).toMatchObject({
          body: { output: { task_status: "SUCCEEDED" } },
          cost: "settled",
          micros: Number(micros)
        })
        expect(upstream.polls.length).toBe(polls)
      })
    )
  )

  it.effect("waits at most two seconds for an upstream that hangs", () =>
    withUpstream(
      Effect.fnUntraced(function* (upstream) {
        const caller = yield* fundedCaller
        const created = yield* create(
          caller,
          upstream.create("t", () => Effect.never)
        )
        yield* advance("1 second")
        const fiber = yield* Effect.forkChild(poll(caller, created.id))
        yield* advance("2 seconds")
        expect(yield* Fiber.join(fiber)).toMatchObject({ status: 200, body: { output: { task_status: "PENDING" } } })
      })
    )
  )
})
