import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { isRaised } from "../store/describeSqlError.ts"
import type { Statement } from "../store/statements.ts"
import type { Transact, Transaction } from "../store/Transaction.ts"
import { type Fleet, OwnerGone } from "./Fleet.ts"

/** What a function of the store raises if the gateway that calls it has no row. */
export const ownerGoneState = "TG001"

/**
 * Read in each transaction of the ledger. The row cannot be deleted until the transaction ends, so what a gateway committed
 * is there before others settle what it left. A heartbeat does not conflict with this lock.
 */
const fence = (owner: string): Statement => ({
  text: "SELECT id FROM gateways WHERE id = $1 FOR KEY SHARE",
  values: [owner]
})

/** Whether the store has refused a write because the gateway's row is gone. */
export const isOwnerGone = (error: SqlError): boolean => isRaised(error, ownerGoneState)

/** `undefined`: the row is gone, and nothing is written. */
const fenced = <A>(transaction: Transaction<A>, owner: string): Transaction<{ readonly result: A } | undefined> => ({
  ...transaction,
  reads: [fence(owner), ...transaction.reads],
  decide: ([row = [], ...found]) => {
    if (row.length === 0) return { writes: [], result: undefined }
    const { result, writes } = transaction.decide(found)
    return { writes, result: { result } }
  }
})

/** Commits a transaction as the owner that this gateway is at that moment. */
export const transactAsOwner =
  (fleet: Fleet["Service"], transact: Transact) =>
  <A>(transaction: (owner: string) => Transaction<A>): Effect.Effect<A, SqlError> =>
    fleet.isAlone
      ? transact(transaction(fleet.owner()))
      : fleet.asOwner((owner) =>
          Effect.flatMap(transact(fenced(transaction(owner), owner)), (ended): Effect.Effect<A, OwnerGone> =>
            ended === undefined ? Effect.fail(new OwnerGone()) : Effect.succeed(ended.result)
          )
        )
