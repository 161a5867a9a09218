import * as Effect from "effect/Effect"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import type { Gateway } from "../../call/Gateway.ts"
import type { Resources } from "../../identity/grant/Resources.ts"
import { missingScope, type Scope } from "../../identity/grant/scopes.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"

/** Who asks, and through which gateway. */
export interface Caller {
  /** The gateway in force when the request began. */
  readonly gateway: Gateway
  readonly principal: Principal
  readonly resources: Resources | undefined
}

/** An access token needs the scope. A key may do everything. */
export const needs = (
  { principal: { grant }, resources }: Caller,
  scope: Scope | undefined
): Effect.Effect<void, Refused> =>
  scope === undefined || grant === undefined || grant.scopes.has(scope)
    ? Effect.void
    : Effect.fail(missingScope(scope, resources, undefined))
