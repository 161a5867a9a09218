import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Provider } from "oidc-provider"

/** A local server. Its listener is created when its address is known. */
const startServer = (listener: (url: string) => RequestListener) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
        const server = createServer()
        server.listen(0, "127.0.0.1", () => {
          const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
          server.on("request", listener(url))
          const close = () => {
            server.close()
            server.closeAllConnections()
          }
          resume(Effect.succeed({ url, close }))
        })
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ url }) => url
  )

const apiClient = { client_id: "api", client_secret: "the-api-and-the-server-know-this" }

/** A real authorization server with its own pages. `grants` has the type of each grant it issued. */
export const authorizationServer = Effect.fnUntraced(function* (app: string) {
  const grants: Array<string> = []
  const issuer = yield* startServer((url) => {
    const provider = new Provider(url, {
      clients: [
        {
          client_id: "the-page",
          redirect_uris: [`${app}/callback`],
          grant_types: ["authorization_code", "refresh_token"],
          token_endpoint_auth_method: "none"
        },
        { ...apiClient, redirect_uris: [], response_types: [], grant_types: [] }
      ],
      cookies: { keys: ["only for tests"] },
      issueRefreshToken: () => true,
      features: {
        introspection: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: {
          getResourceServerInfo: (_, resource) => ({ scope: "use", audience: resource, accessTokenFormat: "opaque" })
        }
      }
    })
    provider.on("grant.success", ({ oidc }) => {
      grants.push(String(oidc.params?.grant_type ?? ""))
    })
    return provider.callback()
  })

  /** Token introspection (RFC 7662). */
  const introspect = async (token: string): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await fetch(`${issuer}/token/introspection`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${apiClient.client_id}:${apiClient.client_secret}`)}` },
      body: new URLSearchParams({ token })
    })
    return (await answer.json()) as Record<string, unknown>
  }
  return { issuer, grants, introspect }
})

type AuthorizationServer = Effect.Success<ReturnType<typeof authorizationServer>>

const ranking = {
  model: "rerank",
  results: [{ index: 0, relevance_score: 1, document: { text: "A river." } }],
  usage: { total_tokens: 3 }
}

const cors = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "authorization, content-type, idempotency-key, x-request-id",
  "access-control-allow-methods": "GET, POST"
}

/** An API that accepts access tokens issued for it and names their server (RFC 9728). `seen` has the tokens it got. */
export const api = Effect.fnUntraced(function* ({ introspect, issuer }: AuthorizationServer) {
  const seen: Array<string> = []
  const url = yield* startServer((url) => {
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const respond = (status: number, body: object) =>
        void response
          .writeHead(status, { ...cors, "content-type": "application/json" })
          .end(status === 204 ? undefined : JSON.stringify(body))
      request.resume()
      if (request.method === "OPTIONS") return respond(204, {})
      if (request.url === "/.well-known/oauth-protected-resource") {
        return respond(200, { resource: url, authorization_servers: [issuer] })
      }
      const [, token = ""] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "") ?? []
      seen.push(token)
      const { active, aud } = await introspect(token)
      if (active === true && aud === url) return respond(200, ranking)
      return respond(401, { error: { message: "This token is not valid here.", code: "invalid_credential" } })
    }
    return (request, response) => void answer(request, response)
  })
  return { url, seen }
})

/** The app: the same page with these settings at every address. */
export const app = (script: string, settings: () => object) =>
  startServer(() => (request, response) => {
    if (request.url === "/page.js") response.setHeader("content-type", "text/javascript").end(script)
    else if (request.url === "/favicon.ico") response.writeHead(204).end()
    else
      response
        .setHeader("content-type", "text/html")
        .end(`<body data-settings='${JSON.stringify(settings())}'><script type="module" src="/page.js"></script>`)
  })
