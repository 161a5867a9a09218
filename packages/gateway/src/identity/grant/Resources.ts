import type { TokenGrant } from "@tollgate/ledger/credential/Keys"
import * as Context from "effect/Context"

/** What access tokens are issued for (RFC 8707), and where each is described (RFC 9728). */
export interface Resources {
  /** The whole gateway: a token for it is good for the tools too. */
  readonly api: string
  readonly tools: string
  readonly apiMetadata: string
  readonly toolsMetadata: string
  readonly grantsPage?: string
  /** The page on which a person approves one call, if the gateway has such pages. */
  readonly approvalPage?: (id: string) => string
}

export const metadataPath = "/.well-known/oauth-protected-resource"
export const toolsPath = "/mcp"

export const resourcesAt = (baseUrl: string): Resources => ({
  api: baseUrl,
  tools: `${baseUrl}${toolsPath}`,
  apiMetadata: `${baseUrl}${metadataPath}`,
  toolsMetadata: `${baseUrl}${metadataPath}${toolsPath}`
})

/** `undefined`: this gateway takes no access tokens. */
export const ProtectedResources = Context.Reference<Resources | undefined>("@tollgate/gateway/ProtectedResources", {
  defaultValue: () => undefined
})

/** Tells a caller who can change what its grant allows, and where. */
export const whereToChange = (
  what: string,
  resources: Resources | undefined,
  grant?: Pick<TokenGrant, "isServiceAccount">
): string => {
  const owner = "the owner of the account"
  const who = grant?.isServiceAccount === true ? `the operator of the gateway, or by ${owner}` : owner
  return `${what} by ${who}${resources?.grantsPage === undefined ? "" : ` at ${resources.grantsPage}`}.`
}

type Via = "tools" | undefined

/** The header `WWW-Authenticate` of 401 and 403, which leads a client to the authorization server. */
export const challenge = (
  resources: Resources | undefined,
  via: Via,
  parameters: Readonly<Record<string, string>> = {}
): string => {
  if (resources === undefined) return "Bearer"
  const all = {
    ...parameters,
    resource_metadata: via === "tools" ? resources.toolsMetadata : resources.apiMetadata
  }
  const shown = Object.entries(all).map(([name, value]) => `${name}="${value}"`)
  return `Bearer ${shown.join(", ")}`
}

/** Whether a token for this resource may be used through this endpoint group. */
export const isFor = (resources: Resources, resource: string, via: Via): boolean =>
  resource === resources.api || (via === "tools" && resource === resources.tools)
