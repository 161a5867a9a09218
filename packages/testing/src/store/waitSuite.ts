import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Ledger } from "@tollgate/gateway"
import { type CommitListener, OnCommit } from "@tollgate/ledger/commit/OnCommit"
import { OnStopping, type WaitOptions } from "@tollgate/ledger/commit/Waiting"
import type { Reservation } from "@tollgate/ledger/ledger/Ledger"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { differences, exchange, funded, ledgerOn, reserve, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver, Store } from "./Driver.ts"
import { query } from "./query.ts"

/** Nobody waits for so long, unless money is missing that should have been set free. */
const longest = 60_000

const waiting = (store: Store, options: Partial<WaitOptions> = {}) =>
  ledgerOn(store, { longestMillis: longest, most: 200, everyMillis: 100, ...options }).pipe(
    Layer.provide(Layer.succeed(OnCommit, counting))
  )

/** An account that has only this much, and a key. */
const fundedWith = Effect.fnUntraced(function* (micros: bigint) {
  const owner = yield* funded
  const { balance } = yield* owner.accounts.get(owner.account)
  yield* owner.accounts.adjust(owner.account, micros - balance, "all but")
  return owner
})

const refusal = (account: string, key: string, most: number) =>
  Ledger.use((ledger) => Effect.flip(ledger.reserve(exchange(account, key, most), undefined)))

const isReserved = (result: Reservation | string): result is Reservation => typeof result !== "string"

/** How many calls wait, of each gateway. */
const waitingCalls: Array<() => number> = []
const waitingNow = (): number => waitingCalls.reduce((sum, calls) => sum + calls(), 0)

const counting: CommitListener = {
  committed: () => {},
  checkpointed: () => {},
  journalIs: () => {},
  waitingIs: (calls) => void waitingCalls.push(calls)
}

/** A fiber that waits for its money. It has joined the line when this ends. */
const inLine = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const before = waitingNow()
  const fiber = yield* Effect.forkChild(effect)
  while (waitingNow() === before) yield* Effect.sleep(1)
  return fiber
})

export const waitSuite = ({ shared, single }: Driver): void => {
  describe("money that is only reserved", () => {
    it.live("is waited for: six calls that cost 0.53 USD each succeed on 25 USD, though each reserves 5.5", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* fundedWith(25_000_000n)
        const call = Effect.gen(function* () {
          const reservation = yield* reserved(account, key, 5_500_000)
          yield* Effect.sleep(50)
          return yield* settle(reservation, 530_000)
        })
        const charges = yield* Effect.all(
          Array.from({ length: 6 }, () => call),
          { concurrency: "unbounded" }
        )
        expect(charges).toEqual(Array(6).fill({ state: "settled", micros: 530_000 }))
        expect(yield* accounts.get(account)).toMatchObject({ balance: 21_820_000n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(waiting(single())))
    )

    it.live("is given once: of 200 that race for one call's money one has it at any time", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* fundedWith(10n)
        let open = 0
        let turns = 0
        const call = Effect.gen(function* () {
          const result = yield* reserve(account, key, 10)
          if (!isReserved(result)) return result
          expect(++open).toBe(1)
          turns++
          yield* Effect.sleep(1)
          open--
          // The tenth call costs all that there is.
          if (turns === 10) return (yield* settle(result, 10)).state
          yield* Ledger.use((ledger) => ledger.release(result, 500))
          return "released"
        })
        const results = yield* Effect.all(
          Array.from({ length: 200 }, () => call),
          { concurrency: "unbounded" }
        )
        const count = (of: string) => results.filter((result) => result === of).length
        expect([count("released"), count("settled"), count("insufficient_balance")]).toEqual([9, 1, 190])
        expect(yield* accounts.get(account)).toMatchObject({ balance: 0n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(waiting(single())))
    )

    it.live("gets 429 after the longest wait, and 402 only what could not be paid if all calls ended at nothing", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* fundedWith(10n)
        yield* accounts.changeKey(key, { budget: micro(100n), dayBudget: micro(200n) })
        const held = yield* reserved(account, key, 8)
        const started = Date.now()
        expect(yield* refusal(account, key, 3)).toMatchObject({
          refusal: {
            code: "balance_reserved",
            retryAfter: 5_000,
            message:
              "The call can cost up to 0.000003 USD; 0.000002 USD are available, because 0.000008 USD are reserved for calls" +
              " under way. Try again when one of them has ended."
          }
        })
        expect(Date.now() - started).toBeGreaterThanOrEqual(190)
        expect((yield* refusal(account, key, 11)).refusal).toMatchObject({
          code: "insufficient_balance",
          message: "The call can cost up to 0.000011 USD; the balance is 0.00001 USD. Top up the account."
        })
        expect(yield* reserve(account, key, 2)).toMatchObject({ amount: 2n })
        expect(yield* reserve(account, key, 0)).toMatchObject({ amount: 0n })
        yield* accounts.topUp(account, micro(1_000n), "enough")
        yield* accounts.changeKey(key, { budget: micro(11n) })
        expect(yield* reserve(account, key, 2)).toBe("balance_reserved")
        expect(yield* reserve(account, key, 12)).toBe("over_budget")
        yield* accounts.changeKey(key, { budget: null, dayBudget: micro(11n) })
        expect(yield* reserve(account, key, 2)).toBe("balance_reserved")
        expect(yield* reserve(account, key, 12)).toBe("quota_exceeded")
        // What one of them costs is no longer there for the others.
        yield* settle(held, 8)
        expect(yield* reserve(account, key, 4)).toBe("quota_exceeded")
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(waiting(single(), { longestMillis: 200 })))
    )

    it.live("goes to the keys by turns: one with many waiting calls does not shut out another", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* fundedWith(10n)
        const other = (yield* accounts.createKey(account, {})).id
        let held = yield* reserved(account, key, 10)
        const served: Array<string> = []
        const call = (name: string, key: string) =>
          Effect.map(reserved(account, key, 10), (reservation) => {
            held = reservation
            served.push(name)
          })
        const fibers = []
        for (const name of ["a1", "a2", "a3", "a4", "b1", "b2"])
          fibers.push(yield* inLine(call(name, name.startsWith("a") ? key : other)))
        for (let i = 0; i < 6; i++) {
          yield* Ledger.use((ledger) => ledger.release(held, 500))
          while (served.length === i) yield* Effect.sleep(1)
        }
        expect(served).toEqual(["a1", "b1", "a2", "b2", "a3", "a4"])
      }).pipe(Effect.provide(waiting(single())))
    )

    it.live("is not taken by small calls forever while a large one waits", () => {
      const longestMillis = 6_000
      return Effect.gen(function* () {
        const { account, accounts, key } = yield* fundedWith(100n)
        const other = (yield* accounts.createKey(account, {})).id
        const release = (reservation: Reservation) => Ledger.use((ledger) => ledger.release(reservation, 500))
        const held = [
          yield* reserved(account, other, 30),
          yield* reserved(account, other, 30),
          yield* reserved(account, other, 30)
        ]
        const large = yield* inLine(reserved(account, key, 90))
        const dueAt = Date.now() + longestMillis / 2
        // What one small call sets free is not enough for the large one, and the next small one takes it.
        while (Date.now() < dueAt - 500) {
          const next = yield* inLine(reserved(account, other, 30))
          yield* release(held.shift()!)
          held.push(yield* Fiber.join(next))
          yield* Effect.sleep(100)
        }
        expect(large.pollUnsafe()).toBeUndefined()
        while (Date.now() <= dueAt) yield* Effect.sleep(10)
        const last = yield* inLine(reserved(account, other, 30))
        for (const one of held) {
          yield* release(one)
          yield* Effect.sleep(50)
        }
        expect((yield* Fiber.join(large)).amount).toBe(90n)
        expect(last.pollUnsafe()).toBeUndefined()
        yield* release(yield* Fiber.join(large))
        expect((yield* Fiber.join(last)).amount).toBe(30n)
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(waiting(single(), { longestMillis })))
    })

    it.live("is not taken by a caller who left, whenever that was", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* fundedWith(10n)
        const held = yield* reserved(account, key, 10)
        // The gateway's path is uninterruptible too, except where a caller may leave.
        const asGateway = Effect.uninterruptible(
          Effect.flatMap(reserve(account, key, 10), (result) =>
            isReserved(result) ? Ledger.use((ledger) => ledger.release(result, 500)) : Effect.void
          )
        )
        const gone = yield* inLine(asGateway)
        yield* Fiber.interrupt(gone)
        yield* Ledger.use((ledger) => ledger.release(held, 500))
        // They leave at about the moment at which they get their money.
        for (let i = 0; i < 40; i++) {
          const before = yield* reserved(account, key, 10)
          const leaving = yield* Effect.forkChild(asGateway)
          yield* Effect.yieldNow
          yield* Effect.forkChild(Ledger.use((ledger) => ledger.release(before, 500)))
          for (let turn = 0; turn < i % 8; turn++) yield* Effect.yieldNow
          if (i % 8 === 7) yield* Effect.sleep(i / 10)
          yield* Fiber.interrupt(leaving)
        }
        yield* reserved(account, key, 10)
        expect(yield* accounts.get(account)).toMatchObject({ balance: 10n, reserved: 10n })
        expect(yield* query("SELECT COUNT(*) AS n FROM calls WHERE state = 'open'")).toEqual([{ n: 1 }])
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(waiting(single())))
    )

    it.live("has a bounded line: one more call is refused at once", () =>
      Effect.gen(function* () {
        const { account, key } = yield* fundedWith(10n)
        const held = yield* reserved(account, key, 10)
        const first = yield* inLine(reserve(account, key, 4))
        const second = yield* inLine(reserve(account, key, 4))
        expect((yield* refusal(account, key, 4)).refusal).toMatchObject({
          code: "balance_reserved",
          retryAfter: 5_000,
          message: expect.stringContaining("other calls wait for it")
        })
        // One that costs nothing does not wait.
        expect((yield* refusal(account, key, 11)).refusal.code).toBe("balance_reserved")
        yield* settle(held, 1)
        expect([yield* Fiber.join(first), yield* Fiber.join(second)]).toMatchObject([{ amount: 4n }, { amount: 4n }])
      }).pipe(Effect.provide(waiting(single(), { most: 2 })))
    )

    it.live("has a line that no key fills alone: its last call makes room for one of another key", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* fundedWith(10n)
        const other = (yield* accounts.createKey(account, {})).id
        const held = yield* reserved(account, key, 10)
        const crowd = []
        for (let i = 0; i < 4; i++) crowd.push(yield* inLine(reserve(account, key, 4)))
        const first = yield* Effect.forkChild(reserve(account, other, 4))
        expect(yield* Fiber.join(crowd.pop()!)).toBe("balance_reserved")
        const second = yield* Effect.forkChild(reserve(account, other, 4))
        expect(yield* Fiber.join(crowd.pop()!)).toBe("balance_reserved")
        // Both keys have two places now: neither makes room for the other.
        expect(yield* reserve(account, other, 4)).toBe("balance_reserved")
        expect(yield* reserve(account, key, 4)).toBe("balance_reserved")
        yield* Ledger.use((ledger) => ledger.release(held, 500))
        const fits = [crowd[0]!, first]
        for (const fiber of fits) {
          const result = yield* Fiber.join(fiber)
          expect(result).toMatchObject({ amount: 4n })
          if (isReserved(result)) yield* Ledger.use((ledger) => ledger.release(result, 500))
        }
        for (const fiber of [crowd[1]!, second]) expect(yield* Fiber.join(fiber)).toMatchObject({ amount: 4n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(waiting(single(), { most: 4 })))
    )

    it.live("is not waited for if no wait is set", () =>
      Effect.gen(function* () {
        const { account, key } = yield* fundedWith(10n)
        yield* reserved(account, key, 10)
        expect(yield* reserve(account, key, 1)).toBe("balance_reserved")
      }).pipe(Effect.provide(waiting(single(), { longestMillis: 0 })))
    )

    it.live("is waited for no longer when the gateway begins to stop", () => {
      let stop = (): void => {}
      const stopping = Layer.succeed(OnStopping, (run) => void (stop = run))
      return Effect.gen(function* () {
        const { account, accounts, key } = yield* fundedWith(10n)
        const held = yield* reserved(account, key, 10)
        const waiters = [yield* inLine(reserve(account, key, 10)), yield* inLine(reserve(account, key, 5))]
        stop()
        for (const fiber of waiters) expect(yield* Fiber.join(fiber)).toBe("shutting_down")
        expect(yield* reserve(account, key, 5)).toBe("balance_reserved")
        yield* settle(held, 1)
        expect(yield* accounts.get(account)).toMatchObject({ balance: 9n, reserved: 0n })
      }).pipe(Effect.provide(waiting(single()).pipe(Layer.provide(stopping))))
    })

    it.live("is noticed when a top-up or a larger budget makes it more", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* fundedWith(10n)
        yield* reserved(account, key, 10)
        const first = yield* inLine(reserve(account, key, 5))
        yield* accounts.topUp(account, micro(5n), "more")
        expect(yield* Fiber.join(first)).toMatchObject({ amount: 5n })
        yield* accounts.topUp(account, micro(100n), "much more")
        yield* accounts.changeKey(key, { budget: micro(16n) })
        const second = yield* inLine(reserve(account, key, 5))
        yield* accounts.changeKey(key, { budget: micro(20n) })
        expect(yield* Fiber.join(second)).toMatchObject({ amount: 5n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(waiting(single())))
    )

    it.live("gives a repeated call its stored answer, which needs none", () =>
      Effect.gen(function* () {
        const { account, key } = yield* fundedWith(10n)
        const claim = { id: "claim", payload: "p", replay: true }
        const call = Ledger.use((ledger) => ledger.reserve(exchange(account, key, 5), claim))
        const first = yield* call
        if (first.kind === "reserved") yield* settle(first.reservation, 1)
        const held = yield* reserved(account, key, 9)
        const waiter = yield* inLine(reserve(account, key, 9))
        expect((yield* call).kind).toBe("replay")
        yield* settle(held, 0)
        yield* Fiber.join(waiter)
      }).pipe(Effect.provide(waiting(single())))
    )

    it.live("is free for others after the gateway was killed whose calls waited for it", () =>
      Effect.gen(function* () {
        const connect = shared()
        // Its scope is never closed, so that none of its finalizers runs, and it does not look at the store again.
        const everyMillis = 2 ** 30
        const killed = yield* Layer.buildWithScope(waiting(connect(), { everyMillis }), yield* Scope.make())
        const { account, key } = yield* Effect.provideContext(fundedWith(10n), killed)
        yield* Effect.provideContext(reserved(account, key, 10), killed)
        for (let i = 0; i < 3; i++) yield* inLine(Effect.provideContext(reserve(account, key, 10), killed))
        yield* Effect.gen(function* () {
          expect(yield* query("SELECT state FROM calls")).toEqual([{ state: "unknown" }])
          expect(yield* differences).toEqual([])
        }).pipe(Effect.provide(waiting(connect())))
      }).pipe(Effect.scoped)
    )

    // Live: one may have to wait a moment for the other's lock.
    it.live("is noticed when another gateway sets it free", () =>
      Effect.gen(function* () {
        const connect = shared()
        const [one, other] = [yield* Layer.build(waiting(connect())), yield* Layer.build(waiting(connect()))]
        const { account, accounts, key } = yield* Effect.provideContext(fundedWith(10n), one)
        const on = (ledger: typeof one) =>
          Effect.provideService(reserve(account, key, 10), Ledger, Context.get(ledger, Ledger))
        for (let i = 0; i < 3; i++) {
          const held = yield* on(one)
          if (!isReserved(held)) return expect(held).toBe("reserved")
          const waiter = yield* inLine(on(other))
          yield* Context.get(one, Ledger).release(held, 500)
          const result = yield* Fiber.join(waiter)
          if (!isReserved(result)) return expect(result).toBe("reserved")
          yield* Context.get(other, Ledger).release(result, 500)
        }
        expect(yield* accounts.get(account)).toMatchObject({ balance: 10n, reserved: 0n })
      }).pipe(Effect.scoped)
    )
  })

  describe("a call whose end is unknown", () => {
    it.effect("holds no money, is charged if it ends after all, and its key remembers", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* fundedWith(10n)
        const claim = { id: "claim", payload: "p", replay: true }
        const call = Ledger.use((ledger) => ledger.reserve(exchange(account, key, 10), claim))
        const first = yield* call
        if (first.kind !== "reserved") return expect(first.kind).toBe("reserved")
        yield* Ledger.use((ledger) => ledger.markUnknown(first.reservation))
        expect(yield* accounts.get(account)).toMatchObject({ balance: 10n, reserved: 0n })
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 0n, reserved: 0n })
        expect(yield* differences).toEqual([])
        expect((yield* Effect.flip(call)).refusal.code).toBe("idempotency_unknown")
        const second = yield* reserved(account, key, 10)
        expect(yield* settle(first.reservation, 4)).toEqual({ state: "settled", micros: 4 })
        expect(yield* accounts.get(account)).toMatchObject({ balance: 6n, reserved: 10n })
        yield* settle(second, 3)
        expect(yield* accounts.get(account)).toMatchObject({ balance: 3n, reserved: 0n })
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 7n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(single())))
    )
  })
}
