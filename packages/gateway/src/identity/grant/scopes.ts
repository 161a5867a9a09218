import type { Bound } from "@tollgate/contract/Operation"
import { usage } from "@tollgate/contract/operations/usage"
import type { TokenGrant } from "@tollgate/ledger/credential/Keys"
import type { Request } from "../../exchange/Exchange.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { isAllowed } from "./Allowed.ts"
import { challenge, type Resources, whereToChange } from "./Resources.ts"

/** What a grant can allow: to call operations, to read the usage of the account, and to see and take back grants. */
export const scopes = ["use", "usage", "grants"] as const
/** Those that a token for the tools can have. Agents ask for all that they are shown. */
export const toolScopes: ReadonlyArray<Scope> = ["use", "usage"]
export type Scope = (typeof scopes)[number]

export const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text)

/** The scope that an operation needs. */
const scopeOf = ({ id }: Bound): Scope => (id === usage.id ? "usage" : "use")

/** Refuses what a grant without this scope does not allow. */
export const missingScope = (
  scope: Scope,
  resources: Resources | undefined,
  face: Request["face"],
  what = "this"
): Refused => {
  const text = `This access token does not allow ${what}; ask for the scope \`${scope}\`.`
  const header = challenge(resources, face, { error: "insufficient_scope", scope })
  return refuse("insufficient_scope", text, { headers: { "WWW-Authenticate": header } })
}

const notChosen = ({ category, id }: Bound, resources: Resources | undefined): Refused =>
  refuse(
    "operation_not_allowed",
    `The person who gave this application access did not allow ${id} (category ${category}).` +
      ` ${whereToChange("It can be allowed", resources)}`
  )

/** Refuses an operation that its grant does not allow. */
export const notAllowed = (
  grant: TokenGrant,
  operation: Bound,
  resources: Resources | undefined,
  face: Request["face"]
): Refused | undefined => {
  const scope = scopeOf(operation)
  if (!grant.scopes.has(scope)) return missingScope(scope, resources, face, "the operation")
  return isAllowed(grant.allows, operation) ? undefined : notChosen(operation, resources)
}
