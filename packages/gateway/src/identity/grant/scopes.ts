import type { Bound } from "@tollgate/contract/Operation"
import { accountBalance } from "@tollgate/contract/operations/accountBalance"
import { usage } from "@tollgate/contract/operations/usage"
import type { Principal, TokenGrant } from "@tollgate/ledger/credential/Keys"
import type { Allows, Restricted } from "@tollgate/ledger/credential/Restrictions"
import type { Authenticated, Request } from "../../exchange/Exchange.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { isAllowed } from "./Allowed.ts"
import { challenge, type Resources, whereToChange } from "./Resources.ts"

/** What a grant can allow: to call operations, to read the usage of the account, and to see and revoke grants. */
export const scopes = ["use", "usage", "grants"] as const
/** Those that a token for the tools can have. Agents ask for all that they are shown. */
export const toolScopes: ReadonlyArray<Scope> = ["use", "usage"]
export type Scope = (typeof scopes)[number]

const ownerCanAllow = "The owner of the account can allow it."

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

/** What a credential allows. `undefined`: every operation. */
export const allowsOf = ({ grant, restricted }: Pick<Principal, "grant" | "restricted">): Allows | undefined =>
  (grant ?? restricted)?.allows

export const notChosen = (
  { category, id }: Bound,
  grant: Pick<TokenGrant, "isServiceAccount"> | undefined,
  resources: Resources | undefined
): Refused => {
  const what = `${id} (category ${category})`
  if (grant === undefined) return refuse("operation_not_allowed", `This key is not for ${what}. ${ownerCanAllow}`)
  const who =
    grant.isServiceAccount === true ? "The operator who made this client" : "The person who gave this app access"
  return refuse(
    "operation_not_allowed",
    `${who} did not allow ${what}. ${whereToChange("It can be allowed", resources, grant)}`
  )
}

export const withoutScope = (
  { scopes: granted }: TokenGrant,
  operation: string,
  resources: Resources | undefined,
  via: Request["via"]
): Refused | undefined => {
  const scope = scopeOf(operation)
  return granted.has(scope) ? undefined : missingScope(scope, resources, via, "the operation", granted)
}

export const notAllowed = (
  principal: Principal,
  operation: Bound,
  resources: Resources | undefined,
  via: Request["via"]
): Refused | undefined => {
  const { grant } = principal
  const refused = grant && withoutScope(grant, operation.id, resources, via)
  if (refused !== undefined) return refused
  return isAllowed(allowsOf(principal), operation) ? undefined : notChosen(operation, grant, resources)
}

/** Longer lists are cut. */
const mostNamed = 10

/** Refuses a model that the key is not for. `byModel`: the operation's price depends on the model, so that a call has one. */
export const modelNotAllowed = (
  { models }: Restricted,
  model: string | undefined,
  byModel: () => boolean
): Refused | undefined => {
  if (models === undefined || (model === undefined ? !byModel() : models.has(model))) return undefined
  const names = [...models].slice(0, mostNamed).join(", ")
  const what = model === undefined ? "a call that names no model" : `the model ${JSON.stringify(model)}`
  const text = `This key is not for ${what}; it is for ${names}${models.size > mostNamed ? " and others" : ""}. ${ownerCanAllow}`
  return refuse("model_not_allowed", text, { param: "model" })
}

export const addressNotAllowed = ({ principal, request }: Authenticated): Refused | undefined => {
  const isFrom = principal?.restricted?.isFrom
  if (isFrom === undefined) return undefined
  const from = request.address?.()
  if (isFrom(from)) return undefined
  return refuse(
    "address_not_allowed",
    `This key is not for callers at ${from ?? "an address that is not known"}. ${ownerCanAllow}`
  )
}
