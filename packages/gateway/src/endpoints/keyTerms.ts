import type * as Contract from "@tollgate/contract/account/Key"
import type { KeyTerms } from "@tollgate/ledger/account/Accounts"
import { invalid } from "@tollgate/contract/errors/Refused"
import { networkOf } from "@tollgate/ledger/credential/Restrictions"
import * as Effect from "effect/Effect"
import type { Gateway } from "../call/Gateway.ts"
import { checkAllowed, checkEnd, microOrNull } from "./grantTerms.ts"

/** Terms as the ledger keeps them, or what nobody can choose on this gateway. Those that are left out stay. */
export const keyTermsOf = Effect.fnUntraced(function* (body: Contract.KeyTerms, gateway: Gateway | undefined) {
  const { addresses, allowed, ends_at, label, models } = body
  const endsAt = ends_at == null ? ends_at : Date.parse(ends_at)
  yield* checkEnd(endsAt ?? undefined, "key")
  yield* checkAllowed(allowed ?? undefined, gateway)
  const wrong = addresses?.find((text) => networkOf(text) === undefined)
  if (wrong !== undefined) {
    return yield* invalid("addresses", `${wrong} is not an IP address or a network, such as 203.0.113.0/24.`)
  }
  const terms: KeyTerms = {
    ...(label === undefined ? {} : { label }),
    ...(body.budget_micros_usd === undefined ? {} : { budget: microOrNull(body.budget_micros_usd) }),
    ...(body.day_budget_micros_usd === undefined ? {} : { dayBudget: microOrNull(body.day_budget_micros_usd) }),
    ...(body.month_budget_micros_usd === undefined ? {} : { monthBudget: microOrNull(body.month_budget_micros_usd) }),
    ...([addresses, allowed, endsAt, models].every((one) => one === undefined)
      ? {}
      : { restrictions: { addresses, allowed, endsAt, models } })
  }
  return terms
})
