import { consoleId, type GrantPolicy, type Offer, type Resources, scopes, toolScopes } from "@tollgate/gateway/driver"
import type { Client, ClientMetadata, Configuration, KoaContextWithOIDC, Provider } from "oidc-provider"
import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import type { Accounts } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { adapter } from "./Adapter.ts"
import { paths, retryAfter } from "./endpoints.ts"
import { fetchClientDocument } from "./clientMetadata.ts"
import type { ClientSecrets } from "./ClientSecrets.ts"
import type { Lifetimes } from "./Refreshed.ts"
import { allScopes, knownScopes } from "./pages/client.ts"
import { errorPage } from "./pages/messages.ts"
import * as Refreshed from "./Refreshed.ts"
import { serverKeys, type Storage } from "./Storage.ts"

/** The console as a client, whose id nobody can register. Its one address is compared exactly, so no other program can get its codes. */
const ownConsole = (baseUrl: string, name: string): ClientMetadata => ({
  client_id: consoleId,
  client_name: `${name} console`,
  application_type: "web",
  redirect_uris: [`${baseUrl.replace(/\/$/, "")}${paths.consoleSignIn}`],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none"
})

const isNotice = (text: unknown): boolean => typeof text === "string" && text.includes("oidc-provider ")

/** Runs what prints notices of `oidc-provider`, without them: they are for its developers. */
const quietly = async <A>(run: () => Promise<A>): Promise<A> => {
  const { info, warn } = console
  const unlessNotice =
    (print: typeof info): typeof info =>
    (...args) =>
      isNotice(args[0]) ? undefined : print(...args)
  console.info = unlessNotice(info)
  console.warn = unlessNotice(warn)
  try {
    return await run()
  } finally {
    console.info = info
    console.warn = warn
  }
}

export interface Needed {
  readonly name: string
  readonly resources: Resources
  readonly lifetimes: Lifetimes
  readonly storage: Storage
  readonly secrets: ClientSecrets
  readonly accounts: Accounts["Service"]
  readonly carrier: Carrier["Service"]
  /** Time to get a client's metadata document. */
  readonly documentMillis: number
  readonly policy: GrantPolicy
  readonly offer: (() => Offer) | undefined
  readonly hasConsole: boolean
  /** In which decisions are made. */
  readonly scope: Scope.Scope
  readonly run: <A>(effect: Effect.Effect<A, unknown>) => Promise<A>
}

const daySeconds = 86_400
const codeSeconds = 60
const interactionSeconds = 600
const sessionSeconds = daySeconds / 2
const grantSeconds = 365 * daySeconds
/** A machine gets another one whenever it needs it. */
const serviceAccountTokenSeconds = 600

/** A client that asks for no scope asks to call operations. */
const defaultScope = "use"

/** The same resource with and without a slash at its end: some clients add it. */
const withoutSlash = (resource: string): string => resource.replace(/\/$/, "")

/** What a token request asks for, beside the token that it sends. */
const askedIn = ({ oidc }: KoaContextWithOIDC): string => JSON.stringify([oidc.params?.scope, oidc.params?.resource])

/** Takes a third of a second, in which nothing else runs, and 30 MB. Loaded when the gateway starts, before it serves anybody. */
export const loadProvider = Effect.promise(() => quietly(() => import("oidc-provider")))

export const makeProvider = Effect.fnUntraced(function* (needed: Needed) {
  const { accounts, carrier, documentMillis, hasConsole, lifetimes, name, resources, run, secrets, storage } = needed
  const { errors, Provider } = yield* loadProvider
  const { cookieKeys, jwks } = yield* serverKeys(storage)
  const issuer = resources.api
  const cookies = { signed: true, httpOnly: true, sameSite: "lax" as const }
  const always = () => true
  const refreshed = Refreshed.make(storage, lifetimes.refreshGraceSeconds * 1_000)
  /** The answers of requests that repeat an earlier one. */
  const repeated = new WeakMap<object, Readonly<Record<string, unknown>>>()
  const repeating = () => {
    const context = Provider.ctx
    return {
      asked: context === undefined ? "" : askedIn(context),
      answer: (body: Readonly<Record<string, unknown>>) => void (context && repeated.set(context, body))
    }
  }

  /** Comes before the token is used up: a request that asks for a wrong resource can be corrected. */
  const checkResource = ({ oidc }: KoaContextWithOIDC): void => {
    const asked = oidc.params?.resource
    const granted = oidc.entities.RefreshToken?.resource
    if (asked === undefined || (Array.isArray(granted) ? granted : [granted]).includes(String(asked))) return
    throw new errors.InvalidTarget("the resource is not one that was granted")
  }

  /** Scopes that are not known are left out, as RFC 6749 allows, and so are those that a machine has not: agents ask for all. */
  const keepKnownScopes = ({ oidc }: KoaContextWithOIDC, asked: string, had: string = asked): void => {
    const all = had.split(" ")
    const known = knownScopes(asked).filter((scope) => all.includes(scope))
    if (known.length === 0) throw new errors.InvalidScope("none of the scopes is known", asked)
    Object.assign(oidc.params ?? {}, { scope: known.join(" ") })
  }

  const configuration: Configuration = {
    adapter: adapter({
      storage,
      run,
      refreshed,
      repeating,
      alreadyUsed: () => new errors.InvalidGrant("it was used before")
    }),
    jwks,
    clients: hasConsole ? [ownConsole(issuer, name)] : [],
    cookies: {
      keys: [...cookieKeys],
      names: { session: "tollgate_session", interaction: "tollgate_interaction", resume: "tollgate_resume" },
      long: { ...cookies, path: `${new URL(issuer).pathname.replace(/\/$/, "")}/oauth` },
      short: cookies
    },
    routes: {
      authorization: paths.authorize,
      token: paths.token,
      registration: paths.register,
      revocation: paths.revoke,
      introspection: paths.introspect,
      jwks: paths.jwks
    },
    scopes: [...allScopes],
    extraParams: {
      scope: (context, asked = defaultScope) => keepKnownScopes(context, asked)
    },
    claims: { openid: ["sub"] },
    responseTypes: ["code"],
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
    enabledJWA: { idTokenSigningAlgValues: ["RS256"] },
    pkce: { required: always },
    ttl: {
      AccessToken: lifetimes.accessTokenSeconds,
      AuthorizationCode: codeSeconds,
      ClientCredentials: Math.min(serviceAccountTokenSeconds, lifetimes.accessTokenSeconds),
      Grant: grantSeconds,
      IdToken: lifetimes.accessTokenSeconds,
      Interaction: interactionSeconds,
      RefreshToken: lifetimes.refreshTokenSeconds,
      Session: sessionSeconds
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      revocation: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
      introspection: {
        enabled: true,
        allowedPolicy: (_, client, token) => client.clientAuthMethod !== "none" && token.clientId === client.clientId
      },
      clientIdMetadataDocument: { enabled: true, ack: "draft-02", cacheDuration: { min: 60, max: 3_600 } },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_, __, oneOf) => oneOf ?? resources.api,
        useGrantedResource: always,
        getResourceServerInfo: (context, resource, client) => {
          const audience = withoutSlash(resource)
          if (audience !== resources.api && audience !== resources.tools) throw new errors.InvalidTarget()
          const { grant_type, scope = client.scope } = context.oidc.params ?? {}
          if (grant_type === "client_credentials") keepKnownScopes(context, String(scope), client.scope)
          return {
            scope: (audience === resources.tools ? toolScopes : scopes).join(" "),
            audience,
            accessTokenFormat: "opaque",
            accessTokenTTL: lifetimes.accessTokenSeconds
          }
        }
      }
    },
    interactions: { url: (_, { uid }) => `${issuer}${paths.interaction}${uid}` },
    findAccount: (_, id) =>
      run(
        Effect.match(accounts.get(id), {
          onSuccess: () => ({ accountId: id, claims: () => ({ sub: id }) }),
          onFailure: () => undefined
        })
      ),
    // Every authorization asks the person: another program on this machine could pretend to be a client.
    loadExistingGrant: (context) => {
      const grantId = context.oidc.result?.consent?.grantId
      return grantId === undefined ? Promise.resolve(undefined) : context.oidc.provider.Grant.find(grantId)
    },
    issueRefreshToken: (_, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: (context) => {
      checkResource(context)
      return true
    },
    // A client that gives up a token is done.
    revokeGrantPolicy: always,
    expiresWithSession: () => false,
    clientBasedCORS: always,
    fetch: fetchClientDocument(carrier, documentMillis, run),
    renderError: (context, shown) => {
      const { body, headers } = errorPage(name, context.status, shown)
      context.set(headers)
      context.body = body
    }
  }
  const provider: Provider = yield* Effect.promise(() => quietly(async () => new Provider(issuer, configuration)))
  Object.assign(provider.Client.prototype, {
    async compareClientSecret(this: Client, sent: string): Promise<boolean> {
      const context = Provider.ctx
      const { isRight, waitMillis } = await run(secrets.check(context?.req, this, sent))
      if (waitMillis === 0) return isRight
      context?.set(retryAfter(waitMillis))
      const error_description = "too many wrong secrets were sent; wait, or send the right one"
      throw Object.assign(new errors.OIDCProviderError(429, "temporarily_unavailable"), { error_description })
    }
  })
  // The mount sets the headers that name this gateway, so that a caller's own have no effect.
  provider.proxy = true
  provider.use(async (koa, next) => {
    await next()
    const context = koa as KoaContextWithOIDC
    if (context.path !== paths.token) return
    const again = repeated.get(context)
    if (again !== undefined) {
      context.status = 200
      context.body = again
      return
    }
    // What is no POST has no route there, and so no `oidc`.
    if (context.status !== 200) return
    const used = context.oidc.entities.RotatedRefreshToken
    if (used === undefined) return
    const refresh = { token: used.jti, signIn: used.grantId, asked: askedIn(context) }
    // The client has its answer even if this fails.
    await run(Effect.ignore(refreshed.keep(refresh, context.body as Record<string, unknown>)))
  })
  return provider
})
