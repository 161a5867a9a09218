import type { grants as routes } from "@tollgate/contract/admin/Grant"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { AccountsError } from "@tollgate/ledger/account/Accounts"
import type { Gateway } from "../../call/Gateway.ts"
import type { GrantPolicy } from "../../identity/grant/GrantPolicy.ts"
import type { Grants } from "../../identity/grant/Grants.ts"
import { termsOf, termsRefusal } from "../grantTerms.ts"
import { offerOf } from "../offer.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import * as Shapes from "../managementApi/shapes.ts"

export const grantHandlers = (
  grants: Grants["Service"],
  policy: GrantPolicy,
  gateway: (() => Gateway) | undefined
): Handlers<typeof routes> => {
  const find = (id: string) =>
    Effect.flatMap(grants.find(id), (found) =>
      Effect.fromOption(found, () => new AccountsError({ reason: "missing", message: `There is no grant ${id}.` }))
    )
  return {
    grants: () => Effect.map(grants.list(), (all) => ({ grants: all.map(Shapes.grant) })),
    changeGrant: Effect.fnUntraced(function* ({ body, id }) {
      yield* find(id)
      const terms = termsOf(body)
      const offer = gateway === undefined ? undefined : offerOf(gateway())
      const refusal = termsRefusal(terms, offer, policy, yield* Clock.currentTimeMillis)
      if (refusal !== undefined) return yield* refusal
      return Shapes.grant(yield* grants.change(id, terms))
    }),
    revokeGrant: Effect.fnUntraced(function* ({ id }) {
      yield* find(id)
      yield* grants.revoke(id)
      return Shapes.grant(yield* find(id))
    })
  }
}
