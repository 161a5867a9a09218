import type { Gateway } from "../call/Gateway.ts"
import { categoriesOf, type CategoryEntry } from "./catalogue/categories.ts"
import { listPrice, type PriceText, priceText } from "../exchange/Prices.ts"
import type { AllowedOperations, GrantTerms } from "@tollgate/contract/account/Access"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { invalid, type Refused } from "@tollgate/contract/errors/Refused"
import { micro } from "@tollgate/contract/Money"
import { oncePer } from "@tollgate/contract/oncePer"
import { type GrantPolicy, termsProblems } from "../identity/grant/GrantPolicy.ts"
import type { GrantTerms as Terms } from "../identity/grant/Grants.ts"

/** What a grant can be bound to, with list prices. */
export interface Offer {
  /** Those with an operation that needs a credential. */
  readonly categories: ReadonlyArray<CategoryEntry>
  /** The prices of the operations in them, by id. */
  readonly operations: ReadonlyMap<string, PriceText>
}

export const offerOf = oncePer(({ catalogue, models, prices }: Gateway): Offer => {
  const operations = catalogue.bound
    .filter(({ access }) => access !== "open")
    .map((operation) => ({
      id: operation.id,
      category: operation.category,
      price: priceText(listPrice(operation, prices, models))
    }))
  return { categories: categoriesOf(operations), operations: new Map(operations.map(({ id, price }) => [id, price])) }
})

export const microOrNull = (micros: number | null) => (micros === null ? null : micro(BigInt(micros)))

/** Terms as the gateway keeps them. Those that are left out stay. */
export const termsOf = (body: GrantTerms): Partial<Terms> => ({
  ...(body.limit_micros_usd === undefined ? {} : { limit: microOrNull(body.limit_micros_usd) }),
  ...(body.day_limit_micros_usd === undefined ? {} : { dayLimit: microOrNull(body.day_limit_micros_usd) }),
  ...(body.ask_above_micros_usd === undefined ? {} : { askAbove: microOrNull(body.ask_above_micros_usd) }),
  ...(body.allowed === undefined ? {} : { allowed: body.allowed }),
  ...(body.ends_at === undefined ? {} : { endsAt: Date.parse(body.ends_at) })
})

const fields = {
  limit: "limit_micros_usd",
  dayLimit: "day_limit_micros_usd",
  askAbove: "ask_above_micros_usd",
  days: "ends_at"
} as const

export const checkEnd = Effect.fnUntraced(function* (endsAt: number | undefined, what: "grant" | "key") {
  const now = yield* Clock.currentTimeMillis
  if (endsAt !== undefined && !(endsAt > now)) {
    return yield* invalid("ends_at", `The end must be in the future; revoke the ${what} to end it.`)
  }
})

/** Refuses categories and operations that this gateway does not have. */
export const checkAllowed = Effect.fnUntraced(function* (
  allowed: AllowedOperations | null | undefined,
  gateway: Gateway | undefined
) {
  const offer = gateway && offerOf(gateway)
  const category = offer && allowed?.categories.find((name) => offer.categories.every((known) => known.name !== name))
  if (category !== undefined) {
    return yield* invalid("allowed.categories", `There is no category ${JSON.stringify(category.slice(0, 100))}.`)
  }
  const operation = offer && allowed?.operations.find((id) => !offer.operations.has(id))
  if (operation !== undefined) {
    return yield* invalid("allowed.operations", `There is no operation ${JSON.stringify(operation.slice(0, 100))}.`)
  }
})

/** Refuses terms that nobody can choose on this gateway. */
export const checkTerms = Effect.fnUntraced(function* (
  terms: Partial<Terms>,
  gateway: Gateway | undefined,
  policy: GrantPolicy
): Effect.fn.Return<void, Refused> {
  yield* checkEnd(terms.endsAt, "grant")
  yield* checkAllowed(terms.allowed, gateway)
  const [problem] = Object.entries(termsProblems(policy, terms, yield* Clock.currentTimeMillis))
  if (problem !== undefined) return yield* invalid(fields[problem[0] as keyof typeof fields], problem[1])
})
