import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** What a provider needs to know of a payment. All amounts are whole cents of USD. */
export interface Wanted {
  readonly id: string
  readonly account: string
  readonly cents: number
}

/** A card that a customer saved at the provider. */
export interface SavedCard {
  readonly customer: string
  readonly method: string
}

/** Money that a payment gave back. */
export interface Returned {
  /** Of a refund of ours, the id that it was asked for with. Of others the provider's. */
  readonly id: string
  readonly kind: "refund" | "chargeback"
  readonly cents: number
  /** The money came back: the refund failed, or the dispute was won. */
  readonly undone: boolean
}

/** What a provider says of a payment by now. */
export interface Seen {
  readonly state: "open" | "paid" | "failed"
  /** Whose it says that it is, and what was paid. */
  readonly account: string
  readonly cents: number
  readonly currency: string
  readonly receipt: string | null
  /** In words: `visa 4242`. Only if it was saved. */
  readonly card: (SavedCard & { readonly words: string }) | null
  readonly returned: ReadonlyArray<Returned>
  /** Why it failed. */
  readonly problem: string
}

/**
 * `refused`: nothing was done, and the message is for the customer. `unknown`: it may have been done. `unavailable`: nothing was done,
 * and it can be tried again.
 */
export class PaymentError extends Data.TaggedError("PaymentError")<{
  readonly reason: "refused" | "unknown" | "unavailable"
  readonly message: string
}> {}

type Headers = Readonly<Record<string, string | undefined>>
type Result<A> = Effect.Effect<A, PaymentError>

/** Takes payments by card. Whoever is asked twice with the same id does it once. */
export interface PaymentProvider {
  readonly name: string
  /** A page where the customer pays. `customer`: theirs from before. The page leads back to `back`. */
  readonly checkout: (
    wanted: Wanted,
    options: { readonly customer: string | null; readonly saveCard: boolean; readonly back: string }
  ) => Result<{ readonly reference: string; readonly url: string }>
  /** Charges a saved card without its owner. `refused`: the bank declined. */
  readonly charge: (wanted: Wanted, card: SavedCard) => Result<{ readonly reference: string }>
  readonly look: (reference: string) => Result<Seen>
  /** What payments gave back that was begun since then, by their ids: also what ended otherwise later. */
  readonly returnedSince: (millis: number) => Result<ReadonlyArray<{ payment: string; returned: Returned }>>
  /** Ends one that is open. `refused`: it was paid, or has ended before. */
  readonly cancel: (reference: string) => Result<unknown>
  readonly refund: (reference: string, refund: { readonly id: string; readonly cents: number }) => Result<unknown>
  readonly forget: (card: SavedCard) => Result<unknown>
  /** The payment that an event is about, if its signature is right. `undefined`: it is about none. `refused`: forged. */
  readonly event: (body: string, headers: Headers) => Result<{ payment: string; reference: string } | undefined>
  /** The same provider with a page and cards that are not real. */
  readonly isPretend: boolean
}
