import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { nosniff } from "../faces/http/security.ts"
import { metadataPath, type Resources, toolsPath } from "./Resources.ts"
import { scopes } from "./scopes.ts"

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

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
  const documentOf = (resource: string) =>
    HttpServerResponse.jsonUnsafe(
      { resource, authorization_servers: [issuer], scopes_supported: scopes, bearer_methods_supported: ["header"] },
      { headers }
    )
  const documents = new Map([
    [metadataPath, documentOf(resources.api)],
    [metadataPath + toolsPath, documentOf(resources.tools)]
  ])
  return (method: string, path: string): HttpServerResponse.HttpServerResponse | undefined => {
    const document = documents.get(path)
    if (document === undefined || method === "GET" || method === "HEAD") return document
    return method === "OPTIONS" ? preflight : undefined
  }
}

/** Puts these documents in front of an app whose tokens come from another authorization server. */
export const resourceMetadata = (resources: Resources, issuer: string) => {
  const documents = resourceDocuments(resources, issuer)
  return <E, R>(app: App<E, R>): App<E, R | HttpServerRequest> =>
    HttpServerRequest.use(({ method, url }): App<E, R> => {
      const document = url.charCodeAt(1) === 46 ? documents(method, url.split("?", 1)[0] ?? url) : undefined
      return document === undefined ? app : Effect.succeed(document)
    })
}
