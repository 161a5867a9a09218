import type { Bound } from "@tollgate/contract/Operation"
import { accountBalance } from "@tollgate/contract/operations/accountBalance"
import { usage } from "@tollgate/contract/operations/usage"
import type { TokenGrant } from "@tollgate/ledger/credential/Keys"
import type { Request } from "../../exchange/Exchange.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { isAllowed } from "./Allowed.ts"
import { challenge, type Resources, whereToChange } from "./Resources.ts"

/** What a grant can allow: to call operations, to read the usage of the account, and to see and revoke grants. */
export const scopes = ["use", "usage", "grants"] as const
/** Those that a token for the tools can have. Agents ask for all that they are shown. */
export const toolScopes: ReadonlyArray<Scope> = ["use", "usage"]
export type Scope = (typeof scopes)[number]

export const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text)

const scopeOf = (id: string): Scope => (id === usage.id || id === accountBalance.id ? "usage" : "use")

/** Refuses what a grant without this scope does not allow. */
export const missingScope = (
  scope: Scope,
  resources: Resources | undefined,
  via: Request["via"],
  what = "this",
  granted: ReadonlySet<string> = new Set()
): Refused => {
  const text = `This access token does not allow ${what}; ask for the scope \`${scope}\`.`
  // A client asks for exactly these, so those that it has are among them.
  const needed = [...granted, scope].filter(isScope).join(" ")
  const header = challenge(resources, via, { error: "insufficient_scope", scope: needed })
  return refuse("insufficient_scope", text, { headers: { "WWW-Authenticate": header } })
}

export const notChosen = (
  { category, id }: Bound,
  grant: Pick<TokenGrant, "isServiceAccount">,
  resources: Resources | undefined
): Refused => {
  const who =
    grant.isServiceAccount === true ? "The operator who made this client" : "The person who gave this app access"
  return refuse(
    "operation_not_allowed",
    `${who} did not allow ${id} (category ${category}). ${whereToChange("It can be allowed", resources, grant)}`
  )
}

/** Refuses an operation for which a token has not the scope. */
export const withoutScope = (
  { scopes: granted }: TokenGrant,
  operation: string,
  resources: Resources | undefined,
  via: Request["via"]
): Refused | undefined => {
  const scope = scopeOf(operation)
  return granted.has(scope) ? undefined : missingScope(scope, resources, via, "the operation", granted)
}

/** Refuses an operation that its grant does not allow. */
export const notAllowed = (
  grant: TokenGrant,
  operation: Bound,
  resources: Resources | undefined,
  via: Request["via"]
): Refused | undefined => {
  const refused = withoutScope(grant, operation.id, resources, via)
  if (refused !== undefined) return refused
  return isAllowed(grant.allows, operation) ? undefined : notChosen(operation, grant, resources)
}
