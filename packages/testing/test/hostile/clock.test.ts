import { describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask, question } from "@tollgate/testing/ask"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const hour = 3_600_000
const noon = 12 * hour

const gateway = () => Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer()))

const statusWith = (credential: string) =>
  Effect.map(ask("POST", "/v1/rerank", { authorization: `Bearer ${credential}` }, question), ({ status }) => status)

/** The first key of the gateway's account. */
const firstKey = Effect.gen(function* () {
  const { account, accounts } = yield* TestGateway
  const [first] = yield* accounts.listKeys(account)
  return { accounts, id: first!.id }
})

describe("the machine's clock goes back an hour", () => {
  it.effect("a revoked key stays refused", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const { accounts, id } = yield* firstKey
      expect(yield* statusWith(key)).toBe(200)
      yield* accounts.revokeKey(id)
      yield* TestClock.adjust("1 second")
      expect(yield* statusWith(key)).toBe(401)
      yield* TestClock.setTime(noon - hour)
      expect(yield* statusWith(key)).toBe(401)
      expect(yield* Effect.flip(accounts.rotateKey(id, hour))).toMatchObject({ reason: "conflict" })
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("a key that is in use and then revoked is refused at its next call", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const { accounts, id } = yield* firstKey
      expect(yield* statusWith(key)).toBe(200)
      yield* TestClock.setTime(noon - hour)
      yield* accounts.revokeKey(id)
      expect(yield* statusWith(key)).toBe(401)
      yield* TestClock.setTime(noon)
      expect(yield* statusWith(key)).toBe(401)
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("a rotated key whose time was over stays refused, and its successor works", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const { accounts, id } = yield* firstKey
      const next = yield* accounts.rotateKey(id, hour / 2)
      expect(yield* statusWith(key)).toBe(200)
      yield* TestClock.setTime(noon + hour / 2)
      expect(yield* statusWith(key)).toBe(401)
      yield* TestClock.setTime(noon - hour)
      expect(yield* statusWith(key)).toBe(401)
      expect(yield* statusWith(Redacted.value(next.value))).toBe(200)
      expect(yield* Effect.flip(accounts.rotateKey(id, hour))).toMatchObject({ reason: "conflict" })
      // When it ended is still shown.
      expect((yield* accounts.getKey(id)).endsAt).toBe(noon + hour / 2)
    }).pipe(Effect.provide(gateway()))
  )

  it.effect("a key revoked ahead of time, while its grace runs, does not live on", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const { accounts, id } = yield* firstKey
      yield* accounts.rotateKey(id, hour)
      expect((yield* accounts.revokeKey(id)).endsAt).toBe(noon)
      yield* TestClock.setTime(noon - hour)
      expect(yield* statusWith(key)).toBe(401)
      expect((yield* accounts.revokeKey(id)).endsAt).toBe(noon)
    }).pipe(Effect.provide(gateway()))
  )
})
