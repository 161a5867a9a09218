import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Face } from "../Face.ts"
import { nosniff } from "./respond.ts"
import { metadataPath, type Resources, toolsPath } from "../../identity/grant/Resources.ts"
import { type Scope, scopes, toolScopes } from "../../identity/grant/scopes.ts"

const headers = { ...nosniff, "access-control-allow-origin": "*", "cache-control": "public, max-age=300" }

const preflight = HttpServerResponse.empty({
  status: 204,
  headers: {
    ...headers,
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "mcp-protocol-version"
  }
})

/** The documents that describe the resources and name their authorization server (RFC 9728). */
export const resourceDocuments = (resources: Resources, issuer: string) => {
  const documentOf = (resource: string, scopes_supported: ReadonlyArray<Scope>) =>
    HttpServerResponse.jsonUnsafe(
      { resource, authorization_servers: [issuer], scopes_supported, bearer_methods_supported: ["header"] },
      { headers }
    )
  const documents = new Map([
    [metadataPath, documentOf(resources.api, scopes)],
    [metadataPath + toolsPath, documentOf(resources.tools, toolScopes)]
  ])
  return (method: string, path: string): HttpServerResponse.HttpServerResponse | undefined => {
    const document = documents.get(path)
    if (document === undefined || method === "GET" || method === "HEAD") return document
    return method === "OPTIONS" ? preflight : undefined
  }
}

/** Serves these documents, where the tokens come from another authorization server. */
export const resourceMetadata = (resources: Resources, issuer: string): Face => {
  const documents = resourceDocuments(resources, issuer)
  return ({ method, url }) => {
    const document = url.startsWith(metadataPath) ? documents(method, url.split("?", 1)[0] ?? url) : undefined
    return document === undefined ? undefined : Effect.succeed(document)
  }
}
