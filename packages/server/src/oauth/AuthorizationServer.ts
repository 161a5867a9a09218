import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { Accounts, Grants, nosniff, resourceMetadata, resourcesAt } from "@tollgate/gateway"
import type { Approvals, EndpointGroup, SignIn } from "@tollgate/gateway"
import { CurrentGrantPolicy, type Offer } from "@tollgate/gateway/driver"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { randomBytes } from "node:crypto"
import { IncomingMessage } from "node:http"
import type { Incoming } from "../http/exchange.ts"
import { ServerRequest } from "../http/serverRequest.ts"
import { addressLimits, type Limits } from "./AddressLimits.ts"
import { anyOrigin, claimed, isForScripts, oauthError, paths, preflight, retryAfter, tooMany } from "./endpoints.ts"
import * as ClientSecrets from "./ClientSecrets.ts"
import { handlers } from "./handlers.ts"
import { approvalPath } from "./pages/approval.ts"
import { messages, refusedPage } from "./pages/messages.ts"
import { isPage } from "./pages/routes.ts"
import type { Lifetimes } from "./Refreshed.ts"
import { loadProvider } from "./Provider.ts"
import { checkRegistration } from "./clientMetadata.ts"
import * as Storage from "./Storage.ts"

/**
 * The same request with its body read already, as if it had come directly to this base URL. A caller's own `Host` and
 * `X-Forwarded-*` have no effect on addresses that the authorization server makes.
 */
const replay = (source: Incoming, url: string, body: Uint8Array, baseUrl: URL): IncomingMessage => {
  const req = new IncomingMessage(source.socket)
  const { "transfer-encoding": _, "x-forwarded-for": __, ...headers } = source.headers
  req.method = source.method ?? "GET"
  req.url = url
  req.httpVersion = source.httpVersion
  req.httpVersionMajor = source.httpVersionMajor
  req.httpVersionMinor = source.httpVersionMinor
  req.headers = {
    ...headers,
    ...(body.length > 0 ? { "content-length": String(body.length) } : {}),
    host: baseUrl.host,
    "x-forwarded-host": baseUrl.host,
    "x-forwarded-proto": baseUrl.protocol.slice(0, -1)
  }
  const prefix = baseUrl.pathname.replace(/\/$/, "")
  if (prefix !== "") Object.assign(req, { originalUrl: prefix + url })
  req.complete = true
  if (body.length > 0) req.push(body)
  req.push(null)
  return req
}

export interface Options {
  /** The address that callers use: the issuer, and the resource of the API. */
  readonly baseUrl: string
  /** Default: an hour, 30 days, and 30 seconds. */
  readonly lifetimes?: Partial<Lifetimes> | undefined
  /** Time to get a client's metadata document. Default: 3 seconds. */
  readonly documentMillis?: number | undefined
  /** What one address may ask. */
  readonly limits?: Partial<Limits> | undefined
  /** What the pages call the gateway. Default: Tollgate. */
  readonly name?: string | undefined
  /** The operations that people can choose from when they give access. Default: they give access to all. */
  readonly offer?: (() => Offer) | undefined
  /** Whether the gateway serves its console, which then is a client. */
  readonly hasConsole?: boolean | undefined
}

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

const defaultLifetimes: Lifetimes = {
  accessTokenSeconds: 3_600,
  refreshTokenSeconds: 30 * 86_400,
  refreshGraceSeconds: 30
}
const maxBodyBytes = 16 * 1024
const maxFormBytes = 8 * 1024
const none = new Uint8Array()

const headersAt = (path: string): Readonly<Record<string, string>> => ({
  ...nosniff,
  ...(isForScripts(path) ? anyOrigin : {}),
  "referrer-policy": "no-referrer",
  "x-request-id": `req_${randomBytes(12).toString("hex")}`
})

export const make = Effect.fnUntraced(function* (options: Options) {
  const { documentMillis = 3_000, hasConsole = false, name = "Tollgate" } = options
  yield* loadProvider
  const storage = yield* Storage.make
  const services = yield* Effect.context<Accounts | Approvals | Grants | SignIn>()
  const resources = {
    ...resourcesAt(options.baseUrl),
    ...(hasConsole ? { grantsPage: `${options.baseUrl}${paths.grants}` } : {}),
    approvalPage: (id: string) => `${options.baseUrl}${approvalPath(id)}`
  }
  const baseUrl = new URL(options.baseUrl)
  const limits = addressLimits(options.limits)
  const handle = handlers(
    {
      name,
      resources,
      lifetimes: { ...defaultLifetimes, ...options.lifetimes },
      documentMillis,
      hasConsole,
      policy: yield* CurrentGrantPolicy,
      offer: options.offer,
      storage,
      secrets: ClientSecrets.make(limits, storage.machines),
      accounts: yield* Accounts,
      carrier: yield* Carrier,
      scope: yield* Effect.scope,
      run: Effect.runPromiseWith(services)
    },
    services
  )

  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(storage.deleteExpired), Schedule.spaced("1 minute")))

  const bodyOf = Effect.fnUntraced(function* (path: string, request: ServerRequest) {
    if (request.method === "GET" || request.method === "HEAD") return none
    const bytes = yield* isPage(path)
      ? Effect.mapError(
          request.bytesWithin(maxFormBytes, () => true),
          () => refusedPage(name, messages[413])
        )
      : Effect.mapError(
          request.bytesWithin(maxBodyBytes, () => true),
          () => oauthError(413, "invalid_request", `the body must have at most ${maxBodyBytes} bytes`)
        )
    return path === paths.register ? yield* checkRegistration(storage, bytes) : bytes
  })

  const answer = Effect.fnUntraced(function* (path: string, query: string, request: ServerRequest) {
    const body = yield* bodyOf(path, request)
    const address = Option.getOrUndefined(request.remoteAddress)
    const req = replay(request.source, query === "" ? path : `${path}?${query}`, body, baseUrl)
    const res = request.nodeResponse(req)
    for (const [name, value] of Object.entries(headersAt(path))) res.setHeader(name, value)
    yield* handle(path, { req, res, body, address })
    // Written already: the server sends nothing more.
    return HttpServerResponse.empty()
  })

  const serve = (path: string, query: string, request: HttpServerRequest): App<never, never> =>
    Effect.clockWith((clock) => {
      if (request.method === "OPTIONS" && isForScripts(path)) return Effect.succeed(preflight)
      const address = Option.getOrUndefined(request.remoteAddress)
      const wait = limits.take(path, address, clock.currentTimeMillisUnsafe())
      if (wait > 0) {
        return Effect.succeed(isPage(path) ? refusedPage(name, messages[429], retryAfter(wait)) : tooMany(wait))
      }
      if (!(request instanceof ServerRequest)) return Effect.die(new Error("the request did not come from this server"))
      return Effect.match(answer(path, query, request), { onSuccess: identity, onFailure: identity })
    })

  const endpoints: EndpointGroup.EndpointGroup = {
    paths: claimed,
    answer: (request, path) => serve(path, request.url.slice(path.length + 1), request)
  }
  return { endpointGroups: [endpoints, resourceMetadata(resources, resources.api)], resources }
})
