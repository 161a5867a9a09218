import * as Effect from "effect/Effect"
import type { Principal } from "../../books/credential/Keys.ts"
import type { Gateway } from "../../call/Gateway.ts"
import type { Resources } from "../../identity/grant/Resources.ts"
import { missingScope, type Scope } from "../../identity/grant/scopes.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { Owner } from "../../books/usage/Usage.ts"

/** Who asks, and through which gateway. */
export interface Caller {
  /** The gateway in force when the request began. */
  readonly gateway: Gateway
  readonly principal: Principal
  readonly resources: Resources | undefined
}

/** An access token needs the scope. A key may do everything. */
export const needs =
  ({ principal: { grant }, resources }: Caller, scope: Scope) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | Refused> =>
    grant === undefined || grant.scopes.has(scope) ? effect : Effect.fail(missingScope(scope, resources, undefined))

/** Whose calls the caller sees: those of its key and its rotations, or of the account if it is an access token. */
export const ownerOfCalls = ({ principal: { account, grant, key, rootKey } }: Caller): Owner =>
  grant === undefined ? { account, key, rootKey } : { account }
