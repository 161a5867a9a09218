import * as Effect from "effect/Effect"
import type { Accounts } from "@tollgate/ledger/account/Accounts"
import { refuse } from "@tollgate/contract/errors/Refused"
import { type Caller, needs } from "./Caller.ts"

/** As for signing in to the pages: a limited key is held by somebody who does not speak for the account. */
const limited = refuse(
  "access_denied",
  "A key with a budget or a quota cannot see or revoke grants; use another key of the account."
)

/** Whether a credential may decide what others may do with the account. */
export const speaksForAccount = (accounts: Accounts["Service"]) =>
  Effect.fnUntraced(function* (caller: Caller) {
    const { grant, key = "" } = caller.principal
    if (grant !== undefined) return yield* needs(caller, "grants")
    const { budget, quota } = yield* accounts.getKey(key)
    if (budget !== null || quota !== null) return yield* limited
  })
