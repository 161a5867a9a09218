import { describe, expect, it } from "@effect/vitest"
import { Ledger } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { differences, exchange, funded, ledgerOn, reserve, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"

const keyed = (account: string, key: string) =>
  Ledger.use((ledger) =>
    Effect.match(ledger.reserve(exchange(account, key, 5), { id: "claim", payload: "p", replay: true }), {
      onSuccess: ({ kind }) => kind,
      onFailure: ({ refusal }) => refusal.code
    })
  )

/** A second passes, and what it set off runs. */
const second = Effect.andThen(
  TestClock.adjust("1 second"),
  Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
)

/** Waits a real second at most: a store over the network takes longer than a turn of the event loop. */
const ended = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let i = 0; i < 200 && fiber.pollUnsafe() === undefined; i++) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })

export const failureSuite = ({ single }: Driver): void => {
  const layer = () => ledgerOn(single())

  describe("a store that fails", () => {
    it.effect("before the call: the reservation is refused, others of its group are not, and it works afterwards", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const sql = yield* SqlClient
        yield* sql`ALTER TABLE idempotency RENAME TO gone`
        // The first is committed alone, the other two together.
        const [, failed, other] = yield* Effect.all(
          [reserve(account, key, 1), keyed(account, key), reserve(account, key, 1)],
          { concurrency: "unbounded" }
        )
        expect([failed, other]).toMatchObject(["billing_unavailable", { amount: 1n }])
        yield* sql`ALTER TABLE gone RENAME TO idempotency`
        expect(yield* keyed(account, key)).toBe("reserved")
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 0n, reserved: 7n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("is logged in the database's own words, with the column and without what was to be written", () => {
      const lines: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) => void lines.push(JSON.stringify(message)))
      return Effect.gen(function* () {
        const { account, key } = yield* funded
        const sql = yield* SqlClient
        yield* sql`ALTER TABLE idempotency RENAME COLUMN payload TO gone`
        expect(yield* keyed(account, key)).toBe("billing_unavailable")
        expect(lines).toEqual([expect.stringMatching(/ledger write failed.*SqlSyntaxError.*payload/)])
        expect(lines.join("")).not.toMatch(new RegExp(`claim|${account}|${key}`))
      }).pipe(Effect.provide(Layer.provideMerge(layer(), Logger.layer([logger]))))
    })

    it.effect("after the call: the charge is retried until it is recorded, once", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const sql = yield* SqlClient
        const call = yield* reserved(account, key, 10)
        yield* sql`ALTER TABLE answers RENAME TO gone`
        const settling = yield* Effect.forkChild(settle({ ...call, keepAnswer: true }, 7), { startImmediately: true })
        for (let i = 0; i < 3; i++) yield* second
        expect(settling.pollUnsafe()).toBe(undefined)
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 0n, reserved: 10n })
        yield* sql`ALTER TABLE gone RENAME TO answers`
        // Attempts are two seconds apart at most, and the caller waits for ten: three have passed.
        for (let i = 0; i < 3 && settling.pollUnsafe() === undefined; i++) {
          yield* TestClock.adjust("2 seconds")
          yield* ended(settling)
        }
        expect(yield* Fiber.join(settling)).toEqual({ state: "settled", micros: 7 })
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 7n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("for longer than 10 s: the caller gets settlement_pending, and is charged later", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const sql = yield* SqlClient
        const call = yield* reserved(account, key, 10)
        yield* sql`ALTER TABLE answers RENAME TO gone`
        const settling = yield* Effect.forkChild(Effect.flip(settle({ ...call, keepAnswer: true }, 7)), {
          startImmediately: true
        })
        while (settling.pollUnsafe() === undefined) yield* second
        expect((yield* Fiber.join(settling)).refusal.code).toBe("settlement_pending")
        yield* sql`ALTER TABLE gone RENAME TO answers`
        // A store over the network may take longer than a turn of the event loop.
        while ((yield* accounts.getKey(key)).spent === 0n) yield* second
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 7n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )
  })
}
