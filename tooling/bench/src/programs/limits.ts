import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { one } from "@tollgate/contract/price/Price"
import { Composition, FleetSql, Limits, SqlLimitStore } from "@tollgate/gateway"
import type { LimitStore } from "@tollgate/gateway/driver"
import type { Routed } from "@tollgate/gateway/exchange/Exchange"
import * as Router from "@tollgate/gateway/call/router/Router"
import { accept } from "@tollgate/gateway/call/steps/01-accept"
import { PostgresClient } from "@tollgate/server/postgres"
import { RedisLimits } from "@tollgate/server/redis"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

// Admits and ends calls for some seconds, and prints how many: memory, or the address of a store; operation; seconds.
const [place = "memory", path = "/v1/rerank", seconds = "3"] = process.argv.slice(2)

const inFlight = 192
const keys = 50
const allowance = { rpm: 1_000_000_000, tpm: 1_000_000_000, concurrency: 1_000 }

const address = Redacted.make(place)
const store: Layer.Layer<LimitStore, unknown> = place.startsWith("redis")
  ? RedisLimits.layer({ address, prefix: "bench" })
  : SqlLimitStore.layer().pipe(
      Layer.provide(FleetSql.layer({ name: "bench", version: "0", config: "" })),
      Layer.provide(Composition.layerCrypto),
      Layer.provide(PostgresClient.layer({ address, maxConnections: 2 }))
    )
const limits = place === "memory" ? Limits.layerMemory : Layer.provide(Limits.layerShared, store)

const router = Router.make(Catalogue.make(operations, defaults).bound)
let requests = 0
const exchange = (): Routed => {
  const id = `req_${process.pid}_${++requests}`
  const accepted = accept(
    router,
    { method: "POST", url: path, headers: {}, readBody: () => Effect.die("unused") },
    id,
    0
  )
  const { match } = accepted
  const operation = match?.operations.get("POST")
  if (match === undefined || operation === undefined) throw new Error(`no operation at ${path}`)
  const principal = { account: "acct", key: `key_${requests % keys}`, allowance, multiplier: one }
  return { ...accepted, match, operation, wantsQuote: false, principal }
}

const admitted = Effect.gen(function* () {
  const { admit } = yield* Limits
  const until = (end: number) =>
    Effect.map(
      Effect.forEach(
        Array.from({ length: inFlight }),
        () =>
          Effect.gen(function* () {
            let count = 0
            while (performance.now() < end) {
              const admission = yield* admit(exchange())
              yield* admission.end(undefined)
              count++
              // In memory nothing waits.
              if (place === "memory" && count % 100 === 0) yield* Effect.yieldNow
            }
            return count
          }),
        { concurrency: "unbounded" }
      ),
      (counts) => counts.reduce((sum, count) => sum + count, 0)
    )
  yield* until(performance.now() + 1_500)
  const begun = performance.now()
  const count = yield* until(begun + Number(seconds) * 1_000)
  return count / ((performance.now() - begun) / 1_000)
})

console.log(await Effect.runPromise(Effect.scoped(Effect.provide(admitted, limits))))
