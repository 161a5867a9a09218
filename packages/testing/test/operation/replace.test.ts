import { expect, it } from "@effect/vitest"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { client } from "@tollgate/contract/carrier/InProcess"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as Utf8 from "@tollgate/contract/Utf8"
import { Accounts, Composition, Http } from "@tollgate/gateway"
import { routesTo } from "@tollgate/gateway/upstream/routesTo"
import { NodeSqliteClient } from "@tollgate/server"
import { key } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const body = { model: "m", results: [], usage: { total_tokens: 1_000 } }
const carrier = Layer.succeed(Carrier, {
  carry: ({ origin }) =>
    Effect.succeed({ status: 200, headers: {}, body: Utf8.encode(JSON.stringify({ ...body, origin })) })
})

const to = (baseUrl: string, provider = "named"): Composition.Definition => ({
  catalogue: Catalogue.make(operations, { ...defaults, provider }),
  routes: routesTo({ rerank: { name: "one", baseUrl, protocol: "json", deadlineMillis: 1_000 } })
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
