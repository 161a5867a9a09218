import { describe, expect, it } from "@effect/vitest"
import { Accounts, Admin, CallLogSql, EndpointGroup, UsageSql } from "@tollgate/gateway"
import { Host, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"

const token = "an-admin-token-of-some-length"

/** The reports whose statements run, and the most that there were at once. */
const seen = { now: 0, most: 0 }

/** A store whose statements take a while, and are counted. */
const slow = (sql: SqlClient): SqlClient => {
  const unsafe = (text: string, values: ReadonlyArray<unknown> = []) =>
    Effect.suspend(() => {
      seen.most = Math.max(seen.most, ++seen.now)
      return Effect.ensuring(
        Effect.andThen(Effect.sleep("1 millis"), sql.unsafe(text, values)),
        Effect.sync(() => seen.now--)
      )
    })
  return new Proxy(sql, { get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)) })
}

const layer = Host.layerInProcess.pipe(
  Layer.provideMerge(
    Layer.effect(
      TestGateway,
      Effect.gen(function* () {
        const gateway = yield* TestGateway
        const admin = yield* Admin.make(Redacted.make(token)).pipe(
          Effect.provideService(Accounts, gateway.accounts),
          Effect.provide(Layer.mergeAll(UsageSql.layer, CallLogSql.layer)),
          Effect.provideService(SqlClient, slow(gateway.sql)),
          Effect.provide(Layer.mergeAll(Digest.layerWebCrypto, SecureRandom.layerWebCrypto))
        )
        return { ...gateway, app: EndpointGroup.serve([Admin.endpoints(admin)], () => gateway.app) }
      })
    ).pipe(Layer.provide(TestGateway.layer()))
  )
)

describe("reports of several operators", () => {
  it.live("take turns: one at a time reads an embedded store, whatever it is about", () =>
    Effect.gen(function* () {
      const { account } = yield* TestGateway
      const year = "start_time=1767225600&end_time=1798761600"
      const paths = [
        `/usage/tags?${year}&tag=team`,
        `/usage/margin?${year}`,
        `/accounts/${account}/usage?${year}`,
        `/accounts/${account}/usage/tags?${year}`,
        `/accounts/${account}/calls?limit=1000`
      ]
      const answers = yield* Effect.all(
        Array.from({ length: 4 }, () => paths)
          .flat()
          .map((path) => ask("GET", `/admin/v1${path}`, { authorization: `Bearer ${token}` })),
        { concurrency: "unbounded" }
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect(seen).toEqual({ now: 0, most: 1 })
    }).pipe(Effect.provide(layer))
  )
})
