import { describe, expect, it } from "@effect/vitest"
import { Carrier, Fleet, FleetSql } from "@tollgate/gateway"
import { FleetTimes } from "@tollgate/ledger/fleet/Fleet"
import { WatchSettings } from "@tollgate/gateway/call/task/WatchedTask"
import { PostgresClient } from "@tollgate/server/postgres"
import { never } from "@tollgate/testing/fleet/ledgerInFleet"
import { until } from "@tollgate/testing/fleet/until"
import { differences } from "@tollgate/testing/ledger/ledgerOn"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import { callOf, create, fundedCaller, micros, poll, services } from "@tollgate/testing/task/setup"
import { report, reply, success, Upstream } from "@tollgate/testing/task/Upstream"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

const quick = {
  firstMillis: 10,
  maxMillis: 20,
  concurrency: 32,
  notFoundMillis: 600_000,
  giveUpMillis: 3_600_000,
  keptMillis: 3_600_000
}

/** A gateway whose polls are counted apart from those of the others. */
const gateway = (address: Redacted.Redacted, upstream: Upstream, times: FleetTimes) => {
  let polls = 0
  const carrier = Carrier.of({
    ...upstream.carrier,
    carry: (outgoing) => {
      polls++
      return upstream.carrier.carry(outgoing)
    }
  })
  const layer = Layer.fresh(services(carrier)).pipe(
    Layer.provideMerge(FleetSql.layer({ name: "test", version: "1.0.0", config: "" })),
    Layer.provide(Layer.succeed(FleetTimes, times)),
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provideMerge(PostgresClient.layer({ address }))
  )
  return Effect.map(Layer.build(layer), (context) => ({ context, polls: () => polls }))
}

describe.runIf(hasPostgres)("a task on several gateways", () => {
  it.live("is watched by the one that started it, answered by each, and taken over when that one dies", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const upstream = new Upstream()
      const first = yield* gateway(address, upstream, never)
      const caller = yield* Effect.provideContext(fundedCaller, first.context)
      let isOver = false
      const plan = (id: string) => reply(isOver ? success(id) : report(id, "RUNNING"))
      const task = yield* Effect.provideContext(create(caller, upstream.create("t", plan)), first.context)
      const other = yield* gateway(address, upstream, { beatMillis: 20, deadMillis: 60_000 })
      yield* until(Effect.sync(first.polls), (polls) => polls > 3)
      expect(other.polls()).toBe(0)
      const answer = yield* Effect.provideContext(poll(caller, task.id), other.context)
      expect(answer.body.output).toMatchObject({ task_status: "RUNNING" })
      expect(other.polls()).toBeLessThan(2)
      const third = yield* gateway(address, upstream, { beatMillis: 20, deadMillis: 500 })
      // The first has no heartbeat, so the others take its task: one of them.
      yield* until(
        Effect.sync(() => other.polls() + third.polls()),
        (polls) => polls > 5
      )
      const { owner } = Context.get(third.polls() > 0 ? third.context : other.context, Fleet)
      const owners = query(`SELECT owner FROM calls WHERE id = '${task.call}'`)
      expect(yield* Effect.provideContext(owners, other.context)).toEqual([{ owner: owner() }])
      isOver = true
      const state = Effect.provideContext(callOf(task.call), other.context)
      expect(yield* until(state, (call) => call?.state !== "running")).toMatchObject({
        state: "settled",
        charged: Number(micros)
      })
      for (const { context } of [first, other, third]) {
        // An answer may be a second old.
        const ended = Effect.provideContext(poll(caller, task.id), context)
        const { micros: charged } = yield* until(ended, ({ body }) => body.output["task_status"] === "SUCCEEDED")
        expect(charged).toBe(Number(micros))
      }
      expect(yield* Effect.provideContext(differences, third.context)).toEqual([])
    }).pipe(Effect.provideService(WatchSettings, quick), Effect.scoped)
  )

  it.live("is begun and charged although others took its gateway for dead while it was created", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const upstream = new Upstream()
      const first = yield* gateway(address, upstream, never)
      const caller = yield* Effect.provideContext(fundedCaller, first.context)
      const mayAnswer = yield* Latch.make(false)
      const held = Effect.andThen(
        mayAnswer.await,
        upstream.create("t", (id) => reply(success(id)))
      )
      const creating = yield* Effect.forkChild(Effect.provideContext(create(caller, held), first.context))
      const states = query("SELECT state FROM calls")
      yield* until(Effect.provideContext(states, first.context), ([call]) => call?.["state"] === "open")
      // Long enough that the first one is not taken for dead once more before it is looked at.
      const other = yield* gateway(address, upstream, { beatMillis: 20, deadMillis: 4_000 })
      yield* until(Effect.provideContext(states, other.context), ([call]) => call?.["state"] === "unknown")
      yield* mayAnswer.open
      const task = yield* Fiber.join(creating)
      expect(task).toMatchObject({ status: 200, cost: "pending" })
      const state = Effect.provideContext(callOf(task.call), other.context)
      expect(yield* until(state, (call) => call?.state !== "running")).toMatchObject({
        state: "settled",
        charged: Number(micros)
      })
      const owners = query(`SELECT owner FROM calls WHERE id = '${task.call}'`)
      expect(yield* Effect.provideContext(owners, other.context)).toEqual([
        { owner: Context.get(first.context, Fleet).owner() }
      ])
      expect(yield* Effect.provideContext(differences, other.context)).toEqual([])
    }).pipe(Effect.provideService(WatchSettings, quick), Effect.scoped)
  )

  it.live("is that of one call, although its upstream names it to calls of several gateways at once", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const upstream = new Upstream()
      const contexts = [
        (yield* gateway(address, upstream, never)).context,
        (yield* gateway(address, upstream, never)).context
      ]
      const callers = yield* Effect.forEach(contexts, (context) => Effect.provideContext(fundedCaller, context))
      const calls = contexts.flatMap((context) => callers.map((caller) => ({ context, caller })))
      for (const id of ["a", "b", "c", "d", "e", "f", "g", "h"]) {
        // An account may get its own task again after the end.
        let isOver = false
        const plan = (id: string) => reply(isOver ? success(id) : report(id, "RUNNING"))
        const created = yield* Effect.forEach(
          calls,
          ({ caller, context }) => Effect.provideContext(create(caller, upstream.create(id, plan)), context),
          { concurrency: "unbounded" }
        )
        isOver = true
        const { true: begun = [], false: others = [] } = Object.groupBy(created, ({ status }) => `${status === 200}`)
        expect([begun.length, others.map(({ code }) => code)]).toEqual([1, Array(3).fill("answer_not_metered")])
        for (const { call } of others) {
          expect(yield* Effect.provideContext(callOf(call), contexts[0]!)).toMatchObject({
            state: "unknown",
            charged: 0
          })
        }
        for (const { call } of begun) {
          const state = Effect.provideContext(callOf(call), contexts[0]!)
          expect(yield* until(state, (call) => call?.state !== "running")).toMatchObject({ state: "settled" })
        }
      }
      expect(yield* Effect.provideContext(differences, contexts[1]!)).toEqual([])
    }).pipe(Effect.provideService(WatchSettings, quick), Effect.scoped)
  )
})
