import type { grants as routes } from "@tollgate/contract/admin/Grant"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { AccountsError } from "@tollgate/ledger/account/Accounts"
import type { Gateway } from "../../call/Gateway.ts"
import { type GrantPolicy, dayMillis } from "../../identity/grant/GrantPolicy.ts"
import { type Grants, isServiceAccountId } from "../../identity/grant/Grants.ts"
import { checkTerms, termsOf } from "../grantTerms.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import * as Shapes from "../managementApi/shapes.ts"
import type { clients as clientRoutes } from "@tollgate/contract/admin/Client"
import * as Redacted from "effect/Redacted"
import type { ServiceAccounts } from "../../identity/grant/ServiceAccounts.ts"

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
      yield* checkTerms(terms, gateway?.(), policy)
      return Shapes.grant(yield* grants.change(id, terms))
    }),
    revokeGrant: Effect.fnUntraced(function* ({ id }) {
      yield* find(id)
      yield* grants.revoke(id)
      return Shapes.grant(yield* find(id))
    })
  }
}

export const clientHandlers = (
  machines: ServiceAccounts["Service"],
  grants: Grants["Service"],
  policy: GrantPolicy,
  gateway: (() => Gateway) | undefined
): Handlers<typeof clientRoutes> => ({
  clients: () =>
    Effect.map(grants.list(), (all) => ({
      clients: all.filter(({ client }) => isServiceAccountId(client.id)).map(Shapes.grant)
    })),
  createClient: Effect.fnUntraced(function* ({ body: { name, reads_usage: readsUsage = false, ...body }, id }) {
    const now = yield* Clock.currentTimeMillis
    const { days, dayLimit, limit } = policy.proposed
    const terms = { limit, dayLimit, endsAt: now + days * dayMillis, ...termsOf(body) }
    yield* checkTerms(terms, gateway?.(), policy)
    const { grant, secret } = yield* machines.create({ ...terms, account: id, name, readsUsage })
    return { ...Shapes.grant(grant), client_secret: Redacted.value(secret) }
  })
})
