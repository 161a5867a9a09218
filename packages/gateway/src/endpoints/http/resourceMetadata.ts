import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { EndpointGroup } from "../EndpointGroup.ts"
import { nosniff } from "./respond.ts"
import { metadataPath, type Resources, toolsPath } from "../../identity/grant/Resources.ts"
import { type Scope, scopes, toolScopes } from "../../identity/grant/scopes.ts"

const headers = { ...nosniff, "access-control-allow-origin": "*", "cache-control": "public, max-age=300" }

const preflight = Effect.succeed(
  HttpServerResponse.empty({
    status: 204,
    headers: {
      ...headers,
      "access-control-allow-methods": "GET",
      "access-control-allow-headers": "mcp-protocol-version"
    }
  })
)

/** The documents that describe the resources and name their authorization server (RFC 9728). */
export const resourceMetadata = (resources: Resources, issuer: string): EndpointGroup => {
  const documentOf = (resource: string, scopes_supported: ReadonlyArray<Scope>) =>
    Effect.succeed(
      HttpServerResponse.jsonUnsafe(
        { resource, authorization_servers: [issuer], scopes_supported, bearer_methods_supported: ["header"] },
        { headers }
      )
    )
  const documents = new Map([
    [metadataPath, documentOf(resources.api, scopes)],
    [metadataPath + toolsPath, documentOf(resources.tools, toolScopes)]
  ])
  return {
    paths: [...documents.keys()],
    answer: ({ method }, path) => {
      if (method === "GET" || method === "HEAD") return documents.get(path)
      return method === "OPTIONS" ? preflight : undefined
    }
  }
}
