import { describe, expect, it } from "@effect/vitest"
import { Client, contractSource, contractVersion, type Options, Policy, salesData } from "@tollgate/client"
import { sourceState, verifiedContract, verifyContract } from "@tollgate/client/contract"
import { contentHash } from "@tollgate/client/contract/contentHash"
import * as HttpCarrier from "@tollgate/contract/carrier/HttpCarrier"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { SalesData, SalesSource } from "@tollgate/gateway"
import type { Snapshot } from "@tollgate/gateway/call/builtin/salesData"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"

const apiOf = (options: Partial<Options>) =>
  Layer.unwrap(
    Host.use(({ baseUrl, http }) =>
      Effect.succeed(
        Client.layer({ credential: key, baseUrl, retry: Policy.none, ...options }).pipe(
          Layer.provide(HttpCarrier.layer),
          Layer.provide(Layer.succeed(HttpClient.HttpClient, http))
        )
      )
    )
  )

const at = (options: Parameters<typeof TestGateway.layer>[0] = {}, own: Partial<Options> = {}) =>
  Layer.provideMerge(apiOf(own), Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer(options))))

const verdict = verifyContract({ onMismatch: "warn" })

describe("a gateway's contract", () => {
  const operator = {
    names: { ...defaults, social_a: "chirp" },
    bindings: {
      "deep_research.search": { path: "/v1/deep" },
      "social_b.post_comments": { parameters: { cursor: "after" } }
    }
  }

  it.effect("matches the client's, whatever its names and bindings", () =>
    Effect.gen(function* () {
      expect(yield* Effect.provide(verdict, at())).toBe("agreed")
      expect(yield* Effect.provide(verdict, at(operator))).toBe("agreed")
    })
  )

  it.effect("matches byte for byte when the client has the same names and bindings", () =>
    Effect.gen(function* () {
      const exact = Effect.flatMap(contentHash, (hash) =>
        verifyContract({ onMismatch: "warn", expect: { contentHash: hash } })
      )
      expect(yield* Effect.provide(exact, at())).toBe("agreed")
      expect(yield* Effect.provide(exact, at(operator, operator))).toBe("agreed")
      expect(yield* Effect.provide(exact, at(operator, { names: operator.names }))).toBe("mismatch")
      expect(yield* Effect.provide(exact, at(operator, { bindings: operator.bindings }))).toBe("mismatch")
    })
  )

  it.effect(
    "with other operations fails only a check of the exact hash, and passes it when its own hash is pinned",
    () =>
      Effect.gen(function* () {
        const fewer = at({ operations: operations.slice(1) })
        expect(yield* Effect.provide(verdict, fewer)).toBe("agreed")
        const own = yield* Effect.provide(contentHash, fewer)
        const strict = fewer.pipe(verifiedContract({ onMismatch: "fail", expect: { contentHash: own } }))
        const error = yield* Effect.flip(Effect.provide(contractVersion(), strict))
        expect(error._tag).toBe("ContractMismatch")
        const version = yield* Effect.provide(contractVersion(), fewer)
        expect(error).toMatchObject({ server: { contentHash: version.contentHash } })
        const pinned = verifyContract({ onMismatch: "fail", expect: { contentHash: version.contentHash } })
        expect(yield* Effect.provide(pinned, fewer)).toBe("agreed")
      })
  )

  it.effect("is served by its hash, whole or in part, and by no other hash", () =>
    Effect.gen(function* () {
      const { contentHash: hash } = yield* contractVersion()
      expect(yield* contractSource({ hash, bundled: "1" })).toHaveProperty(["paths", "/v1/rerank"])
      const { paths } = yield* contractSource({ hash, operation_id: "rerank" })
      expect(Object.keys(paths as object)).toEqual(["/v1/rerank"])
      const conflict = yield* Effect.flip(contractSource({ hash: "0", bundled: "1" }))
      expect(conflict).toMatchObject({ _tag: "Conflict", code: "contract_mismatch", outcome: "not executed" })
      expect(conflict).toMatchObject({ headers: { "x-tollgate-contract-hash": hash } })
    }).pipe(Effect.provide(at()))
  )
})

describe("a gateway's sales data", () => {
  const code = "verified_sales_source_unavailable"

  it.effect("are a typed error when there is no source", () =>
    Effect.gen(function* () {
      const plain = yield* Effect.flip(salesData())
      expect(plain).toMatchObject({ _tag: "Unavailable", code, outcome: "not executed", charge: { state: "none" } })
      expect(plain._tag === "Unavailable" ? sourceState(plain) : plain).toEqual(
        Option.some({ freshness: "unavailable", reason_code: code })
      )
    }).pipe(Effect.provide(at()))
  )

  it.effect("are fresh, then stale with their own time", () => {
    let source: Effect.Effect<Snapshot, string> = Effect.succeed({ observedAt: 1_000, data: { total: 7 } })
    const withSource = Layer.provide(
      at(),
      Layer.sync(SalesData, () => new SalesSource(Effect.suspend(() => source)))
    )
    const stale = { freshness: "stale", observed_at: "1970-01-01T00:00:01.000Z", total: 7 }
    return Effect.gen(function* () {
      expect(yield* salesData()).toEqual({ ...stale, freshness: "fresh" })
      source = Effect.fail("no file")
      yield* TestClock.adjust("10 seconds")
      expect(yield* salesData()).toEqual(stale)
    }).pipe(Effect.provide(withSource))
  })
})
