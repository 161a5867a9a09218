import type { clients as routes } from "@tollgate/contract/admin/Client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Gateway } from "../../call/Gateway.ts"
import { dayMillis, type GrantPolicy } from "../../identity/grant/GrantPolicy.ts"
import { type Grants, isServiceAccountId } from "../../identity/grant/Grants.ts"
import type { ServiceAccounts } from "../../identity/grant/ServiceAccounts.ts"
import { termsOf, termsRefusal } from "../grantTerms.ts"
import { offerOf } from "../offer.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import * as Shapes from "../managementApi/shapes.ts"

export const clientHandlers = (
  machines: ServiceAccounts["Service"],
  grants: Grants["Service"],
  policy: GrantPolicy,
  gateway: (() => Gateway) | undefined
): Handlers<typeof routes> => ({
  clients: () =>
    Effect.map(grants.list(), (all) => ({
      clients: all.filter(({ client }) => isServiceAccountId(client.id)).map(Shapes.grant)
    })),
  createClient: Effect.fnUntraced(function* ({ body: { name, reads_usage: readsUsage = false, ...body }, id }) {
    const now = yield* Clock.currentTimeMillis
    const { days, dayLimit, limit } = policy.proposed
    const terms = { limit, dayLimit, endsAt: now + days * dayMillis, ...termsOf(body) }
    const offer = gateway === undefined ? undefined : offerOf(gateway())
    const refusal = termsRefusal(terms, offer, policy, now)
    if (refusal !== undefined) return yield* refusal
    const { grant, secret } = yield* machines.create({ ...terms, account: id, name, readsUsage })
    return { ...Shapes.grant(grant), client_secret: Redacted.value(secret) }
  })
})
