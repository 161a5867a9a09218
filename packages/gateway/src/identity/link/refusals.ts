import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { TokenRequestFailed } from "./TokenEndpoint.ts"

export const notLinked = (): Refused =>
  refuse("missing_scope", "No platform account is linked to this key; link one and call again.")

export const sessionEnded = (): Refused =>
  refuse("missing_scope", "The linked session has ended; link the platform account again.")

export const missingScope = (scope: string): Refused =>
  refuse("missing_scope", `The linked session lacks ${scope}; link the account again with that scope.`)

export const storeFailed = (): Refused =>
  refuse("billing_unavailable", "The store of linked accounts is not available; nothing was executed.", {
    retryAfter: 1_000
  })

export const platformFailed = (why: Exclude<TokenRequestFailed["why"], "refused">): Refused =>
  why === "misconfigured"
    ? refuse("upstream_misconfigured", "The platform rejected this gateway's client credential.")
    : refuse("upstream_unreachable", "The platform could not renew the linked session; nothing was executed.", {
        status: 503,
        retryAfter: 1_000
      })
