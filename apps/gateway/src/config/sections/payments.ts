import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Address, baseUrlProblem, Credit, optional, PrivateAllowed, Secret, secretAt } from "../text/values.ts"
import type { Add } from "../text/Problem.ts"

export const PaymentsFile = Schema.Struct({
  stripe: optional(
    Schema.Struct({
      secretKey: Secret,
      events: Secret.annotate({ description: "The signing secret of the endpoint that receives Stripe's events" }),
      url: optional(Address("https://api.stripe.com"), "Default: Stripe"),
      private: PrivateAllowed
    }),
    "Cards, by Stripe Checkout"
  ),
  sandbox: optional(Schema.Literal(true), "Cards that are not real. What they pay counts: only for trying"),
  transfer: optional(
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1_000)),
    "Where customers send the money of an invoice. Without it there are no invoices"
  ),
  least: optional(Credit, 'USD. The smallest payment. Default: "5"'),
  most: optional(Credit, 'USD. The largest payment. Default: "10000"')
})

export interface PaymentsSettings {
  readonly cards:
    | { readonly by: "sandbox" }
    | {
        readonly by: "stripe"
        readonly key: Redacted.Redacted
        readonly events: Redacted.Redacted
        readonly url: string | undefined
      }
    | undefined
  readonly transfer: string
  readonly least: BigMicroUsd
  readonly most: BigMicroUsd
}

export const defaultAmounts = { least: micro(5_000_000n), most: micro(10_000_000_000n) }

export const resolve = Effect.fnUntraced(function* (file: typeof PaymentsFile.Type | undefined, add: Add) {
  if (file === undefined) return undefined
  const { least = defaultAmounts.least, most = defaultAmounts.most, sandbox, stripe, transfer = "" } = file
  const problem = (path: ReadonlyArray<string>, message: string | undefined) => void add(["payments", ...path], message)
  if (stripe !== undefined && sandbox) problem(["sandbox"], "cards are either real or not: remove one of the two")
  if (least === 0n || least > most) problem(["least"], "expected more than zero, and not more than most")
  if (stripe === undefined) {
    const settings: PaymentsSettings = { cards: sandbox ? { by: "sandbox" } : undefined, transfer, least, most }
    return settings
  }
  const { private: isPrivate = false, url } = stripe
  if (url !== undefined) problem(["stripe", "url"], baseUrlProblem(url, { private: isPrivate, insecure: false }))
  const key = yield* secretAt(["payments", "stripe", "secretKey"], stripe.secretKey, "stripe secretKey", add)
  const events = yield* secretAt(["payments", "stripe", "events"], stripe.events, "stripe events", add)
  const settings: PaymentsSettings = { cards: { by: "stripe", key, events, url }, transfer, least, most }
  return settings
})
