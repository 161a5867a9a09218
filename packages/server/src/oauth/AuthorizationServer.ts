import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { Accounts, AddressLimit, type Face, Grants, Keys, nosniff, resourcesAt, type SignIn } from "@tollgate/gateway"
import { resourceDocuments } from "@tollgate/gateway/driver"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { ServerRequest } from "../http/serverRequest.ts"
import { anyOrigin, oauthError, preflight, retryAfter, tooMany } from "./answers.ts"
import { introspect, isOperator } from "./introspection.ts"
import { refusedPage } from "./pages/errorPage.ts"
import { messages } from "./pages/messages.ts"
import { interactions, isPage } from "./pages/routes.ts"
import { paths } from "./paths.ts"
import { type Lifetimes, makeProvider } from "./Provider.ts"
import { checkRegistration } from "./registration.ts"
import { replay } from "./replay.ts"
import * as Storage from "./Storage.ts"

export interface Options {
  /** The address that callers use: the issuer, and the resource of the API. */
  readonly baseUrl: string
  /** Default: an hour, and 30 days. */
  readonly lifetimes?: Partial<Lifetimes> | undefined
  /** Time to get a client's metadata document. Default: 3 seconds. */
  readonly documentMillis?: number | undefined
  readonly limits?: Partial<Readonly<Record<keyof typeof defaultLimits, Limit>>> | undefined
  /** What the pages call the gateway. Default: Tollgate. */
  readonly name?: string | undefined
  /** Lets the operator introspect every token. */
  readonly operatorToken?: Redacted.Redacted | undefined
}

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
type Handler = (req: IncomingMessage, res: ServerResponse, address: string | undefined) => Promise<void>

const defaultLifetimes: Lifetimes = { accessTokenSeconds: 3_600, refreshTokenSeconds: 30 * 86_400 }
const defaultDocumentMillis = 3_000
const maxBodyBytes = 16 * 1024
const none = new Uint8Array()

/** Requests from one address. */
interface Limit {
  readonly burst: number
  readonly perMinute: number
}

const defaultLimits = {
  /** A sign-in takes about six. */
  pages: { burst: 120, perMinute: 240 },
  registrations: { burst: 10, perMinute: 10 },
  /** Many people may share the address of a hosted agent. */
  tokens: { burst: 300, perMinute: 600 }
} satisfies Record<string, Limit>

/** What browsers call from any page. The rest are pages. */
const calledByScripts: ReadonlySet<string> = new Set([
  paths.token,
  paths.register,
  paths.revoke,
  paths.introspect,
  paths.jwks,
  paths.oauthMetadata,
  paths.openidMetadata
])

const isOurs = (path: string): boolean =>
  calledByScripts.has(path) || path === paths.authorize || path.startsWith(`${paths.authorize}/`) || isPage(path)

/** A client that asks for no scope asks to call operations. */
const withScope = (path: string, query: string): string => {
  if (path !== paths.authorize || new URLSearchParams(query).has("scope")) return query
  return query === "" ? "scope=use" : `${query}&scope=use`
}

/** The built-in authorization server, in front of an app. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const storage = yield* Storage.make
  const accounts = yield* Accounts
  const carrier = yield* Carrier
  const grants = yield* Grants
  const keys = yield* Keys
  const name = options.name ?? "Tollgate"
  const services = yield* Effect.context<Accounts | Grants | SignIn>()
  const run = Effect.runPromiseWith(services)
  const resources = resourcesAt(options.baseUrl)
  const documents = resourceDocuments(resources, resources.api)
  const baseUrl = new URL(options.baseUrl)
  const limits = { ...defaultLimits, ...options.limits }
  const pages = new AddressLimit(limits.pages)
  const registrations = new AddressLimit(limits.registrations)
  const tokens = new AddressLimit(limits.tokens)

  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(storage.deleteExpired), Schedule.spaced("1 minute")))

  const load = Effect.gen(function* () {
    const lifetimes = { ...defaultLifetimes, ...options.lifetimes }
    const documentMillis = options.documentMillis ?? defaultDocumentMillis
    const needed = { name, resources, lifetimes, storage, accounts, carrier, documentMillis, run }
    const provider = yield* makeProvider(needed)
    // An error may quote what was sent.
    const failed = () => void run(Effect.logError("authorization server failed"))
    provider.on("server_error", failed)
    provider.silent = true
    const callback = provider.callback()
    const interact = interactions({ provider, services, name })
    return (path: string): Handler => (isPage(path) ? interact : async (req, res) => void (await callback(req, res)))
  })
  /** Loaded by the first request that needs it. */
  let loaded: Promise<(path: string) => Handler> | undefined
  const handlers = Effect.tryPromise({
    try: () => (loaded ??= run(load)),
    catch: () => {
      loaded = undefined
      return oauthError(503, "temporarily_unavailable", "the authorization server cannot be started")
    }
  })

  const limitOf = (path: string): AddressLimit =>
    path === paths.register ? registrations : calledByScripts.has(path) ? tokens : pages

  const bodyOf = Effect.fnUntraced(function* (path: string, request: ServerRequest) {
    if (request.method === "GET" || request.method === "HEAD") return none
    const bytes = yield* Effect.mapError(
      request.bytesWithin(maxBodyBytes, () => true),
      () =>
        isPage(path)
          ? refusedPage(name, messages[413])
          : oauthError(413, "invalid_request", `the body must have at most ${maxBodyBytes} bytes`)
    )
    return path === paths.register ? yield* checkRegistration(storage, bytes) : bytes
  })

  const answer = Effect.fnUntraced(function* (path: string, query: string, request: ServerRequest) {
    const body = yield* bodyOf(path, request)
    if (path === paths.introspect && isOperator(options.operatorToken, request.headers.authorization)) {
      return yield* introspect(keys, resources.api, new TextDecoder().decode(body))
    }
    const handler = (yield* handlers)(path)
    const search = withScope(path, query)
    const req = replay(request.source, search === "" ? path : `${path}?${search}`, body, baseUrl)
    const res = request.response
    const headers = {
      ...nosniff,
      "referrer-policy": "no-referrer",
      "x-request-id": `req_${randomBytes(12).toString("hex")}`
    }
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    if (calledByScripts.has(path))
      res.setHeader("access-control-allow-origin", anyOrigin["access-control-allow-origin"])
    yield* Effect.tryPromise({
      try: () => handler(req, res, Option.getOrUndefined(request.remoteAddress)),
      catch: () => oauthError(500, "server_error", "the authorization server failed")
    })
    // Written already: the server sends nothing more.
    return HttpServerResponse.empty()
  })

  const serve = (path: string, query: string, request: HttpServerRequest): App<never, never> =>
    Effect.clockWith((clock) => {
      if (request.method === "OPTIONS" && calledByScripts.has(path)) return Effect.succeed(preflight)
      const address = Option.getOrUndefined(request.remoteAddress)
      const wait = limitOf(path).take(address, clock.currentTimeMillisUnsafe())
      if (wait > 0)
        return Effect.succeed(isPage(path) ? refusedPage(name, messages[429], retryAfter(wait)) : tooMany(wait))
      if (!(request instanceof ServerRequest)) return Effect.die(new Error("the request did not come from this server"))
      return Effect.match(answer(path, query, request), { onSuccess: identity, onFailure: identity })
    })

  /** Answers the paths of the authorization server. */
  const face: Face.Face = (request) => {
    const { url } = request
    const first = url.charCodeAt(1)
    // "o", "." and "a": the check costs nothing on the paths of operations.
    if (first !== 111 && first !== 46 && first !== 97) return undefined
    const at = url.indexOf("?")
    const path = at === -1 ? url : url.slice(0, at)
    if (isOurs(path)) return serve(path, at === -1 ? "" : url.slice(at + 1), request)
    const document = documents(request.method, path)
    return document === undefined ? undefined : Effect.succeed(document)
  }

  return { face, resources, grants }
})
