import { describe, expect, it } from "@effect/vitest"
import { chatCompletionsStream, textOf as textIn } from "@tollgate/client"
import { resumable } from "@tollgate/client/resumable"
import { NodeClient } from "@tollgate/node/effect"
import { after, cutting } from "@tollgate/testing/client/cutting"
import { pausedUpstream, until } from "@tollgate/testing/hostile/pausedUpstream"
import {
  ask,
  askMode,
  begin,
  charged,
  chunk,
  eventsIn,
  last,
  leaveAt,
  refusalOf,
  textOf,
  words
} from "@tollgate/testing/hostile/resuming"
import { Served, servedTo, streamProviders } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { key, TestGateway } from "@tollgate/testing/TestGateway"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Two gateways on one PostgreSQL store, and the upstream of both. The first one ends with `stopFirst`. */
const fleet = Effect.gen(function* () {
  const upstream = yield* pausedUpstream
  const database = yield* migratedDatabase
  const providers = streamProviders(upstream.port, { deadlineMillis: 600_000 })
  const begun = (scope: Scope.Scope) => Layer.buildWithScope(Layer.fresh(servedTo(providers, { database })), scope)
  const own = yield* Scope.fork(yield* Effect.scope)
  const first = yield* begun(own)
  const second = yield* begun(yield* Effect.scope)
  const rows = Effect.provideService(calls, TestGateway, Context.get(second, TestGateway))
  return {
    upstream,
    first: Context.get(first, Served).baseUrl,
    second: Context.get(second, Served).baseUrl,
    stopFirst: Scope.close(own, Exit.void),
    rows,
    /** How each call ended. */
    settled: Effect.gen(function* () {
      while ((yield* rows).some(({ state }) => state === "open")) yield* Effect.sleep("5 millis")
      return (yield* rows).map(({ charged, cost_state, state }) => [state, cost_state, Number(charged)])
    })
  }
})

const rest = words.slice(2).map(chunk).join("") + last

describe.runIf(hasPostgres)("with two gateways, a stream that can be resumed", () => {
  it.live("goes on at the gateway that has it; the other one says that it runs, and then that it has ended", () =>
    Effect.gen(function* () {
      const { first, rows, second, settled, upstream } = yield* fleet
      const left = yield* Effect.forkChild(leaveAt(first, "of"))
      yield* upstream.arrived(1)
      const [res] = yield* upstream.answer(begin("Because", " of"))
      const seen = eventsIn(yield* Fiber.join(left))
      const lastSeen = seen.at(-1)?.id
      const [{ id } = { id: "" }] = yield* rows
      for (const last of [undefined, lastSeen]) {
        const refusal = yield* refusalOf(ask(second, { last }))
        expect(refusal).toMatchObject({ status: 409, code: "idempotency_in_flight" })
        expect(refusal.message).toContain(id)
      }
      const resumed = yield* Effect.forkChild(textOf(ask(first, { last: lastSeen })))
      res!.end(rest)
      const text = yield* Fiber.join(resumed)
      expect(eventsIn(text)).toHaveLength(words.length + 2 - seen.length)
      expect(yield* settled).toEqual([["settled", "settled", charged]])
      expect(yield* refusalOf(ask(second, { last: lastSeen }))).toMatchObject({
        status: 409,
        code: "idempotency_completed"
      })
      expect(yield* textOf(ask(first, { last: lastSeen }))).toBe(text)
      expect(upstream.received).toHaveLength(1)
      expect(yield* settled).toHaveLength(1)
    }).pipe(Effect.scoped)
  )

  it.live("is read to its end by a client whose load balancer sends it to both in turn, and paid once", () =>
    Effect.gen(function* () {
      const { first, second, settled, upstream } = yield* fleet
      const proxy = yield* cutting([first, second], (nth) => (nth === 0 ? after(1) : undefined))
      const input = { model: "sandbox", messages: [{ role: "user" as const, content: "Why do rivers bend?" }] }
      const reading = yield* chatCompletionsStream(input, { resumable: resumable() }).pipe(
        Stream.runFold(
          () => "",
          (text, event) => text + textIn(event)
        ),
        Effect.provide(NodeClient.layer({ credential: key, baseUrl: proxy.baseUrl })),
        Effect.forkChild
      )
      yield* upstream.arrived(1)
      const [res] = yield* upstream.answer(begin("Because", " of"))
      // The first gateway, the second, which does not have it, and the first again.
      while (proxy.seen.length < 3) yield* Effect.sleep("5 millis")
      res!.end(rest)
      expect(yield* Fiber.join(reading)).toBe(words.join(""))
      expect(proxy.seen.slice(0, 3)).toEqual([undefined, "1", "1"])
      expect(upstream.received).toHaveLength(1)
      expect(yield* settled).toEqual([["settled", "settled", charged]])
    }).pipe(Effect.scoped)
  )

  it.live("is canceled at the other one", () =>
    Effect.gen(function* () {
      const { first, rows, second, upstream } = yield* fleet
      const left = yield* Effect.forkChild(leaveAt(first, "of"))
      yield* upstream.arrived(1)
      const [res] = yield* upstream.answer(begin("Because", " of"))
      yield* Fiber.join(left)
      const told = yield* textOf(askMode(second, "cancel"))
      yield* until(() => res!.destroyed)
      const [call] = yield* rows
      expect(JSON.parse(told)).toEqual({
        request_id: call?.id,
        cost_state: "estimated",
        cost_micros_usd: Number(call?.charged)
      })
    }).pipe(Effect.scoped)
  )

  it.live("is charged once for what was sent if its gateway stops, and the other one says that it has ended", () =>
    Effect.gen(function* () {
      const { first, second, settled, stopFirst, upstream } = yield* fleet
      const left = yield* Effect.forkChild(leaveAt(first, "of"))
      yield* upstream.arrived(1)
      yield* upstream.answer(begin("Because", " of"))
      const seen = eventsIn(yield* Fiber.join(left))
      yield* stopFirst
      const [ended, ...others] = yield* settled
      expect([ended?.slice(0, 2), others]).toEqual([["settled", "estimated"], []])
      expect(ended?.[2]).toBeGreaterThan(0)
      expect(yield* refusalOf(ask(second, { last: seen.at(-1)?.id }))).toMatchObject({
        status: 409,
        code: "idempotency_completed"
      })
      expect(upstream.received).toHaveLength(1)
      expect(yield* settled).toEqual([ended])
    }).pipe(Effect.scoped)
  )
})
