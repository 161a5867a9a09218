import type { Bound } from "@tollgate/contract/Operation"
import { usage } from "@tollgate/contract/operations/usage"
import type { TokenGrant } from "../credential/Keys.ts"
import type { Request } from "../Exchange.ts"
import { refuse, type Refused } from "../Refused.ts"
import { challenge, type Resources } from "./Resources.ts"

/** What a grant can allow: to call operations, and to read the usage of the account. */
export const scopes = ["use", "usage"] as const
export type Scope = (typeof scopes)[number]

export const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text)

/** The scope that an operation needs. */
const scopeOf = ({ id }: Bound): Scope => (id === usage.id ? "usage" : "use")

/** Refuses an operation that its grant does not allow. */
export const notAllowed = (
  grant: TokenGrant,
  operation: Bound,
  resources: Resources | undefined,
  face: Request["face"]
): Refused | undefined => {
  const scope = scopeOf(operation)
  if (grant.scopes.has(scope)) return undefined
  const text = `This access token does not allow the operation; ask for the scope \`${scope}\`.`
  const header = challenge(resources, face, { error: "insufficient_scope", scope })
  return refuse("insufficient_scope", text, { headers: { "WWW-Authenticate": header } })
}
