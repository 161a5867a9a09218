import type { grants as routes } from "@tollgate/contract/admin/Grant"
import * as Effect from "effect/Effect"
import { AccountsError } from "@tollgate/ledger/account/Accounts"
import type { Grants } from "../../identity/grant/Grants.ts"
import type { Handlers } from "../ownApi/ApiRouter.ts"
import * as Shapes from "../ownApi/shapes.ts"

export const grantHandlers = (grants: Grants["Service"]): Handlers<typeof routes> => {
  const find = (id: string) =>
    Effect.flatMap(grants.find(id), (found) =>
      Effect.fromOption(found, () => new AccountsError({ reason: "missing", message: `There is no grant ${id}.` }))
    )
  return {
    grants: () => Effect.map(grants.list(), (all) => ({ grants: all.map(Shapes.grant) })),
    revokeGrant: Effect.fnUntraced(function* ({ id }) {
      yield* find(id)
      yield* grants.revoke(id)
      return Shapes.grant(yield* find(id))
    })
  }
}
