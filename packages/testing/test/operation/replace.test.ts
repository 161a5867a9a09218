import { expect, it } from "@effect/vitest"
import { Carrier, type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { client } from "@tollgate/contract/carrier/InProcess"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as Utf8 from "@tollgate/contract/Utf8"
import { Accounts, Composition, Http } from "@tollgate/gateway"
import { type FixedProvider, routesTo } from "@tollgate/gateway/upstream/Route"
import { NodeSqliteClient } from "@tollgate/server"
import { key } from "@tollgate/testing"
import { until } from "@tollgate/testing/fleet/until"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpBody from "effect/http/HttpBody"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const body = { model: "m", results: [], usage: { total_tokens: 1_000 } }
const carrier = Layer.succeed(Carrier, {
  carry: ({ origin }) =>
    Effect.succeed({ status: 200, headers: {}, body: Utf8.encode(JSON.stringify({ ...body, origin })) })
})

const to = (baseUrl: string, provider = "named", more: Partial<FixedProvider> = {}): Composition.Definition => ({
  catalogue: Catalogue.make(operations, { ...defaults, provider }),
  routes: routesTo({ rerank: { name: "one", baseUrl, protocol: "json", deadlineMillis: 1_000, ...more } })
})

const store = Layer.provideMerge(
  Composition.layerStore(Redacted.make(new Uint8Array(32))),
  NodeSqliteClient.layer({ filename: ":memory:" })
)

it.effect("a running gateway takes new routes and names, and its limits count on", () =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { id } = yield* accounts.create("test")
    yield* accounts.adoptKey(id, Redacted.make(key), "test")
    yield* accounts.change(id, { rpm: 100 })
    const { gateway, replace } = yield* Composition.make(to("http://first"), Composition.all())
    const rerank = Effect.fnUntraced(function* () {
      const answer = yield* client(Http.app(gateway)).post("http://gateway.invalid/v1/rerank", {
        headers: { authorization: `Bearer ${key}` },
        body: HttpBody.jsonUnsafe({ query: "q", documents: ["d"] })
      })
      const { origin } = (yield* answer.json) as { readonly origin: string }
      const cost = Object.keys(answer.headers).find((name) => name.endsWith("-cost-micros-usd"))
      return [origin, cost, Number(answer.headers["x-ratelimit-remaining-requests"])]
    })
    const [origin, cost, left] = yield* rerank()
    expect([origin, cost]).toEqual(["http://first", "x-named-cost-micros-usd"])
    yield* replace(to("http://second", "renamed"))
    expect(yield* rerank()).toEqual(["http://second", "x-renamed-cost-micros-usd", Number(left) - 1])
  }).pipe(Effect.scoped, Effect.provide(store), Effect.provide(carrier))
)

type Fate = () => Effect.Effect<Incoming, NotCarried>

const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { id } = yield* accounts.create("test")
  yield* accounts.adoptKey(id, Redacted.make(key), "test")
  const { gateway, replace } = yield* Composition.make(to("http://first"), Composition.all())
  const rerank = Effect.fnUntraced(function* (credential: string) {
    const { accept, run } = gateway()
    const reply = yield* run(
      accept({
        method: "POST",
        url: "/v1/rerank",
        headers: { authorization: `Bearer ${credential}` },
        readBody: () => Effect.succeed(Utf8.encode(JSON.stringify({ query: "q", documents: ["d"] }))),
        address: () => "203.0.113.7"
      })
    )
    return reply.kind === "refused" ? reply.refused.refusal.code : reply.kind
  }, Effect.scoped)
  return { replace, rerank: (credential = key) => rerank(credential) }
})

/** A gateway whose calls end as `fate` says. */
const reloading = <A, E>(fate: Fate, test: (parts: Effect.Success<typeof make>) => Effect.Effect<A, E, Carrier>) =>
  Effect.flatMap(make, test).pipe(
    Effect.scoped,
    Effect.provide(store),
    Effect.provide(Layer.succeed(Carrier, { carry: () => Effect.suspend(fate) }))
  )

const answer = Effect.succeed({ status: 200, headers: {}, body: Utf8.encode(JSON.stringify(body)) })

it.effect("a reload keeps an upstream paused, unless the reload changes it", () => {
  let sent = 0
  const fate = () => {
    sent++
    return Effect.fail(new NotCarried({ why: "not sent" }))
  }
  return reloading(fate, ({ replace, rerank }) =>
    Effect.gen(function* () {
      for (let i = 0; i < 6; i++) yield* rerank()
      expect(sent).toBe(5)
      yield* replace(to("http://first", "renamed"))
      yield* rerank()
      expect(sent).toBe(5)
      yield* replace(to("http://second", "renamed"))
      yield* rerank()
      expect(sent).toBe(6)
    })
  )
})

it.effect("a reload gives no second connection to an upstream that may have one", () => {
  let sent = 0
  return reloading(
    () => (++sent === 1 ? Effect.never : answer),
    ({ replace, rerank }) =>
      Effect.gen(function* () {
        yield* replace(to("http://first", "named", { connections: 1 }))
        yield* Effect.forkDetach(rerank(), { startImmediately: true })
        yield* TestClock.withLive(
          until(
            Effect.sync(() => sent),
            (count) => count === 1
          )
        )
        yield* replace(to("http://first", "renamed", { connections: 1 }))
        const waiting = yield* Effect.forkChild(rerank(), { startImmediately: true })
        // Time passes until the call has waited long enough, whenever it began to. Without pauses it would pass by months, with
        // all that a gateway does every second.
        const second = Effect.andThen(TestClock.adjust("1 second"), TestClock.withLive(Effect.sleep("10 millis")))
        const time = yield* Effect.forkChild(Effect.forever(second))
        expect([yield* Fiber.join(waiting), sent]).toEqual(["upstream_unreachable", 1])
        yield* Fiber.interrupt(time)
      })
  )
})

it.effect("a reload forgets neither the wrong credentials of an address nor who had a right one", () =>
  reloading(
    () => answer,
    ({ replace, rerank }) =>
      Effect.gen(function* () {
        expect(yield* rerank()).toBe("whole")
        for (let i = 0; i < 60; i++) expect(yield* rerank("wrong")).toBe("invalid_credential")
        yield* replace(to("http://first"))
        expect(yield* rerank("wrong")).toBe("rate_limit_exceeded")
        expect(yield* rerank()).toBe("whole")
      })
  )
)
