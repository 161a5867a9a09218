import * as Context from "effect/Context"

/** What access tokens are issued for (RFC 8707), and where each is described (RFC 9728). */
export interface Resources {
  /** The whole gateway: a token for it is good for the tools too. */
  readonly api: string
  readonly tools: string
  readonly apiMetadata: string
  readonly toolsMetadata: string
  /** The page on which people change what they allowed, if the gateway has one. */
  readonly grantsPage?: string
  /** The page on which a person says yes to one call, if the gateway has such pages. */
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

/** Tells a caller what the person who gave access can do. */
export const whereToChange = (what: string, resources: Resources | undefined): string =>
  resources?.grantsPage === undefined
    ? `${what} by the owner of the account.`
    : `${what} by the owner of the account at ${resources.grantsPage}.`

type Face = "tools" | undefined

/** The header `WWW-Authenticate` of 401 and 403, which leads a client to the authorization server. */
export const challenge = (
  resources: Resources | undefined,
  face: Face,
  parameters: Readonly<Record<string, string>> = {}
): string => {
  if (resources === undefined) return "Bearer"
  const all = {
    ...parameters,
    resource_metadata: face === "tools" ? resources.toolsMetadata : resources.apiMetadata
  }
  const shown = Object.entries(all).map(([name, value]) => `${name}="${value}"`)
  return `Bearer ${shown.join(", ")}`
}

/** Whether a token for this resource may be used through this face. */
export const isFor = (resources: Resources, resource: string, face: Face): boolean =>
  resource === resources.api || (face === "tools" && resource === resources.tools)
