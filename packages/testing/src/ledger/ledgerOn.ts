import { fromMicros, micro } from "@tollgate/contract/Money"
import { Accounts, AccountsSql, Audit, KeyHash, Ledger, LedgerSql, migrate, SignupCredit } from "@tollgate/gateway"
import type { Priced } from "@tollgate/gateway/exchange/Exchange"
import type { Reservation, Settled } from "@tollgate/ledger/ledger/Ledger"
import { Sweeping } from "@tollgate/ledger/commit/Sweeper"
import { ReservationWait, type WaitOptions } from "@tollgate/ledger/commit/Waiting"
import { NodeSqliteClient } from "@tollgate/server"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

const accounts = AccountsSql.layer.pipe(
  Layer.provideMerge(KeyHash.layer(Redacted.make(new Uint8Array(32)))),
  Layer.provide(Mac.layerWebCrypto),
  Layer.provide(Layer.succeed(SignupCredit, micro(1_000_000_000n)))
)

/** Accounts on a store without a ledger, as the command line has them. */
export const accountsOn = (store: Layer.Layer<SqlClient, SqlError>) =>
  accounts.pipe(Layer.provide(SecureRandom.layerWebCrypto), Layer.provideMerge(store))

/** Waiters would wait for a test clock that stands still. */
export const nobodyWaits: WaitOptions = { longestMillis: 0, most: 0, everyMillis: 1_000 }

/** Ledger and accounts on a store, without the rest of the gateway. The sweeper does nothing, and nobody waits for money. */
export const ledgerOn = (store: Layer.Layer<SqlClient, SqlError>, wait: WaitOptions = nobodyWaits) =>
  Layer.mergeAll(LedgerSql.layer, accounts).pipe(
    Layer.provide(Layer.succeed(ReservationWait, wait)),
    Layer.provide(Layer.succeed(Sweeping, { openMillis: 1e14, everyMillis: 2 ** 31 - 1 })),
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provide(Layer.effectDiscard(migrate)),
    Layer.provideMerge(store)
  )

export const ledgerInMemory = ledgerOn(NodeSqliteClient.layer({ filename: ":memory:" }))

let calls = 0

/** The part of a request that the ledger reads. */
export const exchange = (
  account: string,
  key: string,
  most: number,
  requestId = `call_${++calls}`,
  cap?: number,
  model?: string
): Priced => {
  const known = {
    requestId,
    operation: { id: "rerank" },
    principal: { account, key },
    model,
    price: { contract: "per_request", amount: "pending" },
    estimate: { likely: fromMicros(micro(BigInt(most))), most: fromMicros(micro(BigInt(most))) },
    ...(cap === undefined ? {} : { cap: fromMicros(micro(BigInt(cap))) })
  }
  return known as Priced
}

/** The reservation, or the code of the refusal. */
export const reserve = (
  account: string,
  key: string,
  most: number,
  cap?: number
): Effect.Effect<Reservation | string, never, Ledger> =>
  Ledger.use((ledger) => ledger.reserve(exchange(account, key, most, undefined, cap), undefined)).pipe(
    Effect.match({
      onFailure: ({ refusal }) => refusal.code,
      onSuccess: (reserved) => (reserved.kind === "reserved" ? reserved.reservation : reserved.kind)
    })
  )

export const reserved = Effect.fnUntraced(function* (account: string, key: string, most: number, cap?: number) {
  const result = yield* reserve(account, key, most, cap)
  if (typeof result === "string") return yield* Effect.die(result)
  return result
})

/** What a call costs. */
export const costing = (micros: number, evidence = "{}"): Settled => ({
  settlement: {
    value: micro(BigInt(micros)),
    charged: micro(BigInt(micros)),
    chargedNano: fromMicros(micro(BigInt(micros)))
  },
  costState: "settled",
  answer: { status: 200, contentType: undefined, bytes: new Uint8Array() },
  evidence,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
})

export const settle = (reservation: Reservation, micros: number) =>
  Ledger.use((ledger) => ledger.settle(reservation, costing(micros)))

/** An account with credit, and a key. */
export const funded = Effect.gen(function* () {
  const accounts = yield* Accounts
  const account = (yield* accounts.create("test")).id
  return { accounts, account, key: (yield* accounts.createKey(account, {})).id }
})

export const differences = Effect.map(Audit.run, (audit) => audit.differences)
