import { expect, it } from "@effect/vitest"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { client } from "@tollgate/contract/carrier/InProcess"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import type { CacheTerms } from "@tollgate/contract/price/contracts"
import * as Utf8 from "@tollgate/contract/Utf8"
import { Accounts, Composition, Http } from "@tollgate/gateway"
import { routesTo } from "@tollgate/gateway/upstream/Route"
import { NodeSqliteClient } from "@tollgate/server"
import { key } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

let executed = 0
const carrier = Layer.succeed(Carrier, {
  carry: () =>
    Effect.sync(() => {
      executed++
      const body = { model: "m", results: [], usage: { total_tokens: 1_000 } }
      return { status: 200, headers: {}, body: Utf8.encode(JSON.stringify(body)) }
    })
})

interface Terms {
  readonly kept?: CacheTerms
  readonly provider?: string
  readonly baseUrl?: string
  readonly summary?: string
}

const definition = ({ baseUrl = "http://one", kept, provider = "Named", summary }: Terms): Composition.Definition => {
  const own = operations.map((operation) =>
    operation.id === "rerank"
      ? { ...operation, ...(kept === undefined ? {} : { kept }), summary: summary ?? operation.summary }
      : operation
  )
  return {
    catalogue: Catalogue.make(own, { ...defaults, provider }),
    routes: routesTo({ rerank: { name: "one", baseUrl, protocol: "json", deadlineMillis: 1_000 } })
  }
}

const store = Layer.provideMerge(
  Composition.layerStore(Redacted.make(new Uint8Array(32))),
  NodeSqliteClient.layer({ filename: ":memory:" })
)

it.effect("a reload decides whether kept answers are used: not without permission, nor under another contract", () =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { id } = yield* accounts.create("test")
    yield* accounts.adoptKey(id, Redacted.make(key), "test")
    const kept = { seconds: 60, share: 0n }
    const { gateway, replace } = yield* Composition.make(definition({ kept }), Composition.all())
    const rerank = Effect.fnUntraced(function* (provider = "named") {
      const answer = yield* client(Http.app(gateway)).post("http://gateway.invalid/v1/rerank", {
        headers: { authorization: `Bearer ${key}`, [`x-${provider}-cache`]: "use" },
        body: HttpBody.jsonUnsafe({ query: "q", documents: ["d"] })
      })
      return answer.headers[`x-${provider}-cache`]
    })
    expect([yield* rerank(), yield* rerank()]).toEqual(["miss", "hit; age=0"])
    yield* replace(definition({ kept, baseUrl: "http://two" }))
    expect(yield* rerank()).toBe("hit; age=0")
    yield* replace(definition({}))
    expect(yield* rerank()).toBeUndefined()
    yield* replace(definition({ kept, summary: "Another contract" }))
    expect([yield* rerank(), yield* rerank()]).toEqual(["miss", "hit; age=0"])
    yield* replace(definition({ kept, provider: "Renamed" }))
    expect([yield* rerank("renamed"), yield* rerank("renamed")]).toEqual(["miss", "hit; age=0"])
    expect(executed).toBe(4)
    yield* TestClock.adjust("20 seconds")
    yield* replace(definition({ kept: { ...kept, seconds: 10 }, provider: "Renamed" }))
    expect(yield* rerank("renamed")).toBe("miss")
  }).pipe(Effect.scoped, Effect.provide(store), Effect.provide(carrier))
)
