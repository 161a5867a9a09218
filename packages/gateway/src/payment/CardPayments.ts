import type { AccountsError } from "@tollgate/ledger/account/entries"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Payers } from "./Payers.ts"
import type { PaymentProvider, Returned, Seen } from "./PaymentProvider.ts"
import { awaited, microsOf, type Payment, type PaymentRows, wantedOf } from "./PaymentRows.ts"

/** Why something could not be booked. Empty: it is booked. */
const problemOf = (booked: Effect.Effect<unknown, AccountsError | SqlError>) =>
  Effect.as(booked, "").pipe(Effect.catchTag("AccountsError", ({ message }) => Effect.succeed(message)))

/** The entry that is there when it is booked. */
export const bookedAs = ({ id, undone }: Returned): string => (undone ? `back:${id}` : id)

/** Payments by card, which are booked as the provider says that they became. */
export const make = (
  { accounts, askLater, close, get, name, provider, query, sql }: PaymentRows,
  { declined, get: payerOf, save }: Payers
) => {
  /** Makes the page where it is paid. */
  const checkout = Effect.fnUntraced(function* ({ checkout }: PaymentProvider, payment: Payment, back: string) {
    const { account, id, saveCard } = payment
    const customer = (yield* payerOf(account))?.customer ?? null
    const pageFor = (customer: string | null) => checkout(wantedOf(payment), { customer, saveCard, back: back + id })
    // The provider may have forgotten a customer.
    const page = Effect.catchIf(
      pageFor(customer),
      ({ reason }) => customer !== null && reason === "refused",
      () => pageFor(null)
    )
    const { reference, url } = yield* awaited(Effect.tapError(page, ({ message }) => close(id, "failed", message)))
    yield* query`UPDATE payments SET reference = ${reference}, url = ${url} WHERE id = ${id}`
    yield* askLater(payment)
    return yield* get(id)
  })

  /**
   * Books what a payment gave back. Each part has an id of its own, and is booked once. What came back is taken first: an older answer
   * that comes later finds it taken.
   */
  const bookReturned = Effect.fnUntraced(function* ({ account, id }: Payment, { returned }: Seen) {
    let problem = ""
    for (const one of returned) {
      const { cents, id: entry, kind, undone } = one
      const words = `${kind} of ${id}`
      const taken = accounts.reverse(account, microsOf(cents), words, entry, "provider")
      const back = accounts.topUp(account, microsOf(cents), `${words}, undone`, bookedAs(one))
      const wrong = yield* problemOf(undone ? sql.withTransaction(Effect.andThen(taken, back)) : taken)
      problem ||= wrong
    }
    return problem
  })

  /** Asks the provider what became of a payment, and books it. An answer that is older than what is known changes nothing. */
  const sync = Effect.fnUntraced(function* (payment: Payment) {
    const { account, amount, id, reference } = payment
    const now = yield* askLater(payment)
    if (provider === undefined || payment.provider !== name || reference === null) return payment
    const seen = yield* provider.look(reference)
    if (seen.state === "failed") yield* declined(payment, seen.problem)
    if (seen.state !== "paid") return yield* get(id)
    const isOther = seen.account !== account || microsOf(seen.cents) !== amount || seen.currency !== "usd"
    const wrong = isOther
      ? `${seen.cents} cents in ${seen.currency} were paid for ${seen.account}: not booked.`
      : yield* problemOf(accounts.topUp(account, amount, "card payment", id))
    if (wrong !== "") {
      yield* Effect.logError("a payment was not booked", { payment: id, wrong })
      yield* close(id, "unknown", wrong)
      return yield* get(id)
    }
    if (payment.saveCard && payment.paidAt === null && seen.card !== null) yield* save(account, seen.card)
    const returned = seen.returned.reduce((sum, { cents, undone }) => (undone ? sum : sum + microsOf(cents)), 0n)
    // With the entries: who finds those booked asks no more.
    yield* Effect.flatMap(
      bookReturned(payment, seen),
      (
        problem
      ) => query`UPDATE payments SET state = 'paid', url = NULL, receipt = ${seen.receipt}, returned = ${returned},
        paid_at = COALESCE(paid_at, ${now}), looked_at = ${now}, problem = ${problem} WHERE id = ${id} AND looked_at <= ${now}`
    ).pipe(sql.withTransaction)
    return yield* get(id)
  })

  return { checkout, sync }
}

export type CardPayments = ReturnType<typeof make>
