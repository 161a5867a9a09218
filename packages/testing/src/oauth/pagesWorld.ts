import {
  AccessTokensSql,
  Accounts,
  Composition,
  EndpointGroup,
  Grants,
  Keys,
  SignIn,
  trustProxies
} from "@tollgate/gateway"
import { AuthorizationServer, NodeHttpServer, NodeSqliteClient, UpstreamCarrier } from "@tollgate/server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { createHash } from "node:crypto"
import { Browser, type Shown } from "./pagesBrowser.ts"

type Fields = Readonly<Record<string, string>>

interface Options {
  /** The base URL that the gateway takes for its own. Default: where it listens. */
  readonly baseUrl?: string
}

/** A gateway's authorization server and pages, on a real port and behind one proxy. */
export class World extends Context.Service<
  World,
  {
    readonly listening: string
    readonly accounts: Accounts["Service"]
    readonly grants: Grants["Service"]
    readonly keys: Keys["Service"]
    readonly signIn: SignIn["Service"]
    readonly sql: SqlClient
    readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
    /** A new account, with a key. */
    readonly newAccount: (label?: string) => Promise<{ readonly account: string; readonly key: string }>
    /** A browser at an address of its own. */
    readonly browser: () => Browser
    readonly register: (metadata: object) => Promise<string>
    readonly authorizeUrl: (clientId: string, parameters?: Fields) => string
    /** Where a new client sends the person. */
    readonly authorize: (
      browser: Browser,
      parameters?: Fields,
      name?: string
    ) => Promise<{ readonly clientId: string; readonly page: Shown }>
    /** Exchanges the code in the address to which the client's person returned. */
    readonly tokenFor: (clientId: string, location: string | undefined) => Promise<string | undefined>
  }
>()("@tollgate/testing/oauth/pagesWorld") {
  static readonly layer = (options: Options = {}): Layer.Layer<World> =>
    Layer.effect(World, make(options)).pipe(Layer.provide(services), Layer.orDie)
}

const secret = Redacted.make(new Uint8Array(32).fill(7))

const services = Composition.layerStore(secret, AccessTokensSql.layer).pipe(
  Layer.provideMerge(NodeSqliteClient.layer({ filename: ":memory:" })),
  Layer.provideMerge(UpstreamCarrier.layer()),
  Layer.provideMerge(NodeHttpServer.layer({ port: 0 }))
)

/** The address of every client that names no other. */
export const redirectUri = "https://client.example/callback"

const verifier = "a-verifier-of-at-least-forty-three-characters"
const challenge = createHash("sha256").update(verifier).digest("base64url")

const make = Effect.fnUntraced(function* (options: Options) {
  const { address } = yield* HttpServer.HttpServer
  const listening = HttpServer.formatAddress(address)
  const baseUrl = options.baseUrl ?? listening
  const { endpointGroups } = yield* AuthorizationServer.make({ baseUrl, hasConsole: true })
  const app = EndpointGroup.serve(endpointGroups, () => Effect.succeed(HttpServerResponse.empty({ status: 404 })))
  yield* HttpServer.serveEffect(trustProxies(1)(app))
  const accounts = yield* Accounts
  const run = Effect.runPromiseWith(yield* Effect.context<never>())

  // Each at another address: what comes from one is limited.
  let addresses = 0
  const from = () => ({ "x-forwarded-for": `198.51.${addresses >> 8}.${addresses++ & 255}` })

  const register = async (metadata: object) => {
    const answer = await fetch(`${listening}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json", ...from() },
      body: JSON.stringify({ token_endpoint_auth_method: "none", ...metadata })
    })
    return ((await answer.json()) as { readonly client_id: string }).client_id
  }

  const authorizeUrl = (clientId: string, parameters: Fields = {}) =>
    `${listening}/oauth/authorize?${new URLSearchParams({
      client_id: clientId,
      response_type: "code",
      redirect_uri: redirectUri,
      scope: "use usage",
      state: "the-state",
      code_challenge: challenge,
      code_challenge_method: "S256",
      resource: baseUrl,
      ...parameters
    }).toString()}`

  return World.of({
    listening,
    accounts,
    grants: yield* Grants,
    keys: yield* Keys,
    signIn: yield* SignIn,
    sql: yield* SqlClient,
    run,
    newAccount: async (label = "Acme") => {
      const { id } = await run(accounts.create(label))
      const { value } = await run(accounts.createKey(id, {}))
      return { account: id, key: Redacted.value(value) }
    },
    browser: () => new Browser(listening, from()),
    register,
    authorizeUrl,
    authorize: async (browser, parameters = {}, name = "The Agent") => {
      const clientId = await register({ client_name: name, redirect_uris: [parameters.redirect_uri ?? redirectUri] })
      return { clientId, page: await browser.open(authorizeUrl(clientId, parameters)) }
    },
    tokenFor: async (clientId, location) => {
      const url = new URL(location ?? redirectUri)
      const answer = await fetch(`${listening}/oauth/token`, {
        method: "POST",
        headers: from(),
        body: new URLSearchParams({
          grant_type: "authorization_code",
          code: url.searchParams.get("code") ?? "",
          redirect_uri: `${url.origin}${url.pathname}`,
          client_id: clientId,
          code_verifier: verifier,
          resource: baseUrl
        })
      })
      return ((await answer.json()) as { readonly access_token?: string }).access_token
    }
  })
})

/** Signs in with a key, on the page of a request for access or on its own. */
export const signInThere = (browser: Browser, page: Shown, key: string): Promise<Shown> =>
  browser.submit(page, "/sign-in", { key })

/** Decides on the page of a request for access. */
export const decide = (browser: Browser, page: Shown, fields: Fields): Promise<Shown> =>
  browser.submit(page, new URL(page.url).pathname, fields)
