import * as Effect from "effect/Effect"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import type { Gateway } from "../../call/Gateway.ts"
import type { Resources } from "../../identity/grant/Resources.ts"
import { missingScope, type Scope } from "../../identity/grant/scopes.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { Accounts, Key } from "@tollgate/ledger/account/Accounts"
import { isLimited } from "@tollgate/ledger/account/keys"

export interface Caller {
  /** The gateway in force when the request began. */
  readonly gateway: Gateway
  readonly principal: Principal
  readonly resources: Resources | undefined
}

/** Those that ended earlier are not listed. */
const mostEnded = 100

/** A list that begins with the newest, without those that ended long ago. */
export const listed = <A>(all: ReadonlyArray<A>, hasEnded: (one: A) => boolean): ReadonlyArray<A> => {
  let ended = 0
  return all.filter((one) => !hasEnded(one) || ++ended <= mostEnded)
}

/** An access token needs the scope. A key may do everything. */
export const needs = (
  { principal: { grant }, resources }: Caller,
  scope: Scope | undefined
): Effect.Effect<void, Refused> =>
  scope === undefined || grant === undefined || grant.scopes.has(scope)
    ? Effect.void
    : Effect.fail(missingScope(scope, resources, undefined))

/** As for signing in to the pages: a limited key is held by somebody who does not speak for the account. */
const limited = refuse(
  "access_denied",
  "A limited key cannot see or change keys and grants: it has a budget, an end, or may not do everything. Use another key of the account."
)

/** Whether a credential may see what others may do with the account, and revoke it. */
export const speaksForAccount = (accounts: Accounts["Service"]) =>
  Effect.fnUntraced(function* (caller: Caller) {
    const { grant, key = "" } = caller.principal
    if (grant !== undefined) return yield* needs(caller, "grants")
    if (isLimited(yield* accounts.getKey(key))) return yield* limited
  })

const withoutBalance = refuse(
  "access_denied",
  "A limited credential cannot see the account's balance; use another key of the account."
)

/** Whether a credential sees the account's balance. The console's own limit is not one of the person who uses it. */
export const seesBalance = ({ principal: { grant } }: Caller, key: Key): boolean =>
  grant?.isConsole === true || !isLimited(key)

/** Refuses a credential that does not see the account's balance. */
export const needsBalance = (accounts: Accounts["Service"]) =>
  Effect.fnUntraced(function* (caller: Caller) {
    if (!seesBalance(caller, yield* accounts.getKey(caller.principal.key ?? ""))) return yield* withoutBalance
  })

/** A person who gives an app the scope is told that it sees and revokes grants. It must not give others more. */
const notPerson = refuse(
  "access_denied",
  "An app can see and revoke grants. Only a person changes them, approves calls, or sees and changes keys: in the console, on the page of a call, or with a key."
)

/** Whether a person uses the credential, who may decide what others may do with the account. */
export const decidesForAccount = (accounts: Accounts["Service"]) => {
  const speaks = speaksForAccount(accounts)
  return Effect.fnUntraced(function* (caller: Caller) {
    yield* speaks(caller)
    const { grant } = caller.principal
    if (grant !== undefined && grant.isConsole !== true) return yield* notPerson
  })
}
