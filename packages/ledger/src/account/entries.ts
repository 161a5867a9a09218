import { formatUsd, fromMicros, micro } from "@tollgate/contract/Money"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { amount, number, readerOf, type Rows, text, textOrNull } from "../store/rows.ts"

/** What was asked for does not fit what is stored; in words for an operator. */
export class AccountsError extends Data.TaggedError("AccountsError")<{
  readonly reason: "missing" | "conflict" | "denied"
  readonly message: string
}> {}

const entryFields = {
  id: text,
  kind: text,
  amount,
  note: text,
  at: number,
  /** The call that it refunds. */
  call: textOrNull
}
export const entryOf = readerOf(entryFields)

/** A payment, its reversal, a credit, a debit or the refund of a call. */
export type Transaction = ReturnType<typeof entryOf>

/** The same, with whose it is. */
export const accountEntryOf = readerOf({ ...entryFields, account: text, accountLabel: text })
export type AccountTransaction = ReturnType<typeof accountEntryOf>

/** A running gateway recorded charges between the checkpoint and the transaction: the tables are behind. */
export class BehindJournal extends Data.TaggedError("BehindJournal") {}

/** Of an account, what decides on an entry. */
interface Held {
  readonly id: string
  readonly balance: bigint
  readonly reserved: bigint
  readonly toppedUp: bigint
}

/** Who a reversal takes from: only what is `available`, or what the `provider` of a payment took back, also more than was paid in. */
export type From = "available" | "provider"

/** What is to be entered. `call`: the call that is refunded. */
export interface NewTransaction {
  readonly kind: "topup" | "credit" | "adjustment" | "reversal" | "refund"
  readonly amount: bigint
  readonly note: string
  readonly id: string
  readonly call?: string | undefined
}

export const conflict = (message: string) => new AccountsError({ reason: "conflict", message })

export const usd = (micros: bigint): string => `${formatUsd(fromMicros(micro(micros)))} USD`

/** What an entry adds to what the account has paid in. */
export const paidBy = ({ amount, kind }: NewTransaction): bigint =>
  kind === "topup" || kind === "reversal" ? amount : 0n

const noCall = (call: string) => new AccountsError({ reason: "missing", message: `There is no call ${call}.` })

export const makeEntering = (rows: Rows) => {
  const isBehindJournal = rows.dialect.isShared
    ? Effect.succeed(false)
    : Effect.map(rows.run("SELECT 1 FROM journal LIMIT 1", []), (found) => found.length > 0)

  const chargeOf = Effect.fnUntraced(function* (call: string) {
    const [found] = yield* rows.byIds("account, state, charged", "calls", [call])
    if (found !== undefined && text(found, "state") === "settled") {
      return { account: text(found, "account"), charged: amount(found, "charged") }
    }
    if (yield* isBehindJournal) return yield* new BehindJournal()
    if (found === undefined) return yield* noCall(call)
    return yield* conflict(`${call} was not charged: it is ${text(found, "state")}.`)
  })

  /** Whether the entry is known already. One with other terms is a conflict. */
  const isKnown = Effect.fnUntraced(function* (account: string, entry: NewTransaction) {
    const [known] = yield* rows.byIds("account, kind, amount, call", "entries", [entry.id])
    if (known === undefined) return false
    if (
      text(known, "account") === account &&
      text(known, "kind") === entry.kind &&
      amount(known, "amount") === entry.amount &&
      textOrNull(known, "call") === (entry.call ?? null)
    )
      return true
    return yield* conflict(`${entry.id} was entered before, with other terms.`)
  })

  const check = Effect.fnUntraced(function* (account: Held, entry: NewTransaction, from?: From) {
    if ((entry.kind === "adjustment" || from === "available") && entry.amount < 0n) {
      if (yield* isBehindJournal) return yield* new BehindJournal()
      if (account.balance + entry.amount < account.reserved) {
        return yield* conflict(`${account.id} has less than that available.`)
      }
    }
    if (entry.kind === "reversal" && from !== "provider" && account.toppedUp + entry.amount < 0n) {
      return yield* conflict(
        `${account.id} has paid in ${usd(account.toppedUp)}; more than that cannot be reversed. Use an adjustment for the rest.`
      )
    }
    if (entry.call === undefined) return
    const { account: owner, charged } = yield* chargeOf(entry.call)
    if (owner !== account.id) return yield* noCall(entry.call)
    if (charged === 0n) return yield* conflict(`${entry.call} cost nothing, so there is nothing to refund.`)
    if (entry.amount > charged) {
      return yield* conflict(`${entry.call} was charged ${usd(charged)}; a refund cannot be more.`)
    }
    const [refund] = yield* rows.query`SELECT id FROM entries WHERE call = ${entry.call}`
    if (refund !== undefined) {
      return yield* conflict(`${entry.call} was refunded before, by the entry ${text(refund, "id")}.`)
    }
  })

  return { chargeOf, isKnown, check }
}

export const entryColumns = "id, kind, amount, note, at, call"
