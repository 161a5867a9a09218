import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Provider } from "oidc-provider"

export const client = { client_id: "tollgate", client_secret: "only-the-gateway-and-the-provider-know-this" }

export interface Person {
  readonly name: string
  readonly groups?: unknown
}

/**
 * A real OpenID provider on loopback, at which whoever comes signs in as `signedInAs` by pressing the only button. It
 * says what it knows of them at its userinfo endpoint.
 */
export const openIdProvider = (callback: () => string, people: Record<string, Person>, host = "127.0.0.1") =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const issuer = `http://${host}:${(server.address() as AddressInfo).port}`
      const settings = { issuer, signedInAs: Object.keys(people)[0] ?? "", denies: false }
      let made: Provider | undefined
      const provider = () =>
        (made ??= new Provider(issuer, {
          clients: [client, { client_id: "public", token_endpoint_auth_method: "none" as const }].map((known) => ({
            ...known,
            redirect_uris: [callback()],
            grant_types: ["authorization_code"]
          })),
          cookies: { keys: ["only for tests"] },
          claims: { openid: ["sub"], profile: ["name"], groups: ["groups"] },
          findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
          interactions: { url: (_, { uid }) => `/sign-in/${uid}` },
          features: { devInteractions: { enabled: false } }
        }))
      const finish = async (
        request: Parameters<Provider["interactionFinished"]>[0],
        response: Parameters<Provider["interactionFinished"]>[1]
      ) => {
        const { params } = await provider().interactionDetails(request, response)
        if (settings.denies) return provider().interactionFinished(request, response, { error: "access_denied" })
        const accountId = settings.signedInAs
        const grant = new (provider().Grant)({ accountId, clientId: String(params.client_id) })
        grant.addOIDCScope(String(params.scope))
        const result = { login: { accountId, remember: false }, consent: { grantId: await grant.save() } }
        return provider().interactionFinished(request, response, result)
      }
      server.on("request", (request, response) => {
        if (request.url?.startsWith("/sign-in/") !== true) return void provider().callback()(request, response)
        if (request.method === "POST") return void finish(request, response)
        response.setHeader("content-type", "text/html")
        response.end(`<form method="post"><button>Sign in as ${settings.signedInAs}</button></form>`)
      })
      return { server, settings }
    }),
    ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
  ).pipe(Effect.map(({ settings }) => settings))
