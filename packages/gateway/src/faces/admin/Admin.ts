import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import { Digest, sha256 } from "effect/crypto/Digest"
import { timingSafeEqual } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Accounts } from "../../books/account/Accounts.ts"
import type { Audit } from "../../books/audit/Audit.ts"
import type { Gateway } from "../../call/Gateway.ts"
import { Grants } from "../../identity/grant/Grants.ts"
import { AddressLimit } from "../../limits/AddressLimit.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as RequestIds from "../../exchange/RequestIds.ts"
import * as Rows from "../../books/store/rows.ts"
import { CallLog } from "../../books/usage/CallLog.ts"
import { Usage } from "../../books/usage/Usage.ts"
import type { Face } from "../Face.ts"
import { failure, refusal, reply } from "../jsonAnswers.ts"
import { accountRoutes } from "./accounts.ts"
import { keyRoutes } from "./keys.ts"
import { auditRoutes } from "./audit.ts"
import { callRoutes, usageRoutes } from "./calls.ts"
import { type ConfigurationControl, configurationRoutes } from "./configuration.ts"
import { gatewayRoutes } from "./gateways.ts"
import { grantRoutes } from "./grants.ts"
import { type PriceSection, priceRoutes } from "./prices/routes.ts"
import { match, type Reply } from "./Route.ts"
import { type UpstreamsInForce, upstreamRoutes } from "./upstreams.ts"
import { type WebhookControl, webhookRoutes } from "./webhooks.ts"

const prefix = "/admin/v1"

/** The operator's API over HTTP, behind its own token. It is not in the catalogue and allows no other origin. */
export interface Admin {
  readonly answer: (path: string, request: HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>
}

/** What a program can add to accounts and keys. Without a part, or without the service that it needs, its paths are unknown. */
export interface Parts {
  readonly upstreams?: () => UpstreamsInForce
  readonly prices?: { readonly gateway: () => Gateway; readonly section: PriceSection }
  /** Recomputes the books. */
  readonly audit?: Effect.Effect<Audit, SqlError>
  readonly configuration?: ConfigurationControl
  readonly webhooks?: WebhookControl
}

const partRoutes = Effect.fnUntraced(function* (accounts: Accounts["Service"], parts: Parts) {
  const { audit, configuration, prices, upstreams, webhooks } = parts
  const grants = yield* Effect.serviceOption(Grants)
  const sql = yield* Effect.serviceOption(SqlClient)
  const usage = yield* Effect.serviceOption(Usage)
  const log = yield* Effect.serviceOption(CallLog)
  return [
    ...(Option.isNone(usage) ? [] : usageRoutes(accounts, usage.value)),
    ...(Option.isNone(log) ? [] : callRoutes(accounts, log.value)),
    ...(Option.isNone(grants) ? [] : grantRoutes(grants.value)),
    ...(upstreams === undefined ? [] : upstreamRoutes(upstreams)),
    ...(Option.isNone(sql) ? [] : gatewayRoutes(sql.value)),
    ...(prices === undefined || Option.isNone(sql)
      ? []
      : priceRoutes(prices.gateway, prices.section, Rows.make(sql.value))),
    ...(audit === undefined ? [] : auditRoutes(audit, yield* Effect.scope)),
    ...(configuration === undefined ? [] : configurationRoutes(configuration)),
    ...(webhooks === undefined ? [] : webhookRoutes(webhooks))
  ]
})

const challenge = { headers: { "WWW-Authenticate": "Bearer" } }
const missing = refuse("missing_credential", "Send the admin token: Authorization: Bearer <token>.", challenge)
const invalid = refuse(
  "invalid_credential",
  "The admin token is not valid: it is the value of TOLLGATE_ADMIN_TOKEN.",
  challenge
)
/** Wrong tokens from one address. */
const wrongLimit = { burst: 10, perMinute: 10 }
const tooManyWrong = (retryAfter: number): Refused =>
  refuse("rate_limit_exceeded", "Too many wrong admin tokens came from this address; wait, then send the right one.", {
    retryAfter
  })
const routeNotFound = refuse("route_not_found", "The admin API has no such path.")
const tokenOf = (request: HttpServerRequest): string | undefined => {
  const { authorization } = request.headers
  return authorization === undefined ? undefined : (/^Bearer +([^\s]+)$/i.exec(authorization)?.[1] ?? "")
}

export const make = Effect.fnUntraced(function* (token: Redacted.Redacted, parts: Parts = {}) {
  const accounts = yield* Accounts
  const digest = yield* Digest
  const nextId = yield* RequestIds.make
  const wrong = new AddressLimit(wrongLimit)
  const routes = [...accountRoutes(accounts), ...keyRoutes(accounts), ...(yield* partRoutes(accounts, parts))]

  // Digests have one length, so the comparison does not reveal the token's.
  const digestOf = (text: string) => digest.digest(sha256, Utf8.encode(text))
  const expected = yield* digestOf(Redacted.value(token))

  const execute = Effect.fnUntraced(function* (path: string, request: HttpServerRequest) {
    const sent = tokenOf(request)
    if (sent === undefined) return yield* missing
    const digest = yield* digestOf(sent)
    const now = yield* Clock.currentTimeMillis
    // In one step, so that guesses sent at the same time count too. Without any left, the token is not compared.
    const address = Option.getOrUndefined(request.remoteAddress)
    const wait = wrong.wait(address, now)
    if (wait > 0) return yield* tooManyWrong(wait)
    if (!timingSafeEqual(digest, expected)) {
      wrong.take(address, now)
      return yield* invalid
    }
    const matched = match(routes, path)
    if (matched === undefined) return yield* routeNotFound
    const route = matched.routes.find(({ method }) => method === request.method)
    if (route !== undefined) return yield* route.run(matched.ids, request)
    const allow = matched.routes.map(({ method }) => method).join(", ")
    return yield* refuse("method_not_allowed", `This path allows ${allow}.`, { headers: { Allow: allow } })
  })

  const admin: Admin = {
    answer: (path, request) => {
      const requestId = nextId()
      return Effect.matchCauseEffect(execute(path, request), {
        onSuccess: ({ body, status }: Reply) => Effect.succeed(reply(status, body, requestId)),
        onFailure: (cause) => failure(cause, requestId, "admin request")
      })
    }
  }
  return admin
})

const turnedOff = refuse("route_not_found", "The admin API is off; set TOLLGATE_ADMIN_TOKEN.")

/** Answers in place of an API that has no token. */
export const off = Effect.map(RequestIds.make, (nextId): Admin => ({
  answer: () => Effect.sync(() => refusal(turnedOff, nextId()))
}))

/** Answers requests under the prefix. */
export const face =
  (admin: Admin): Face =>
  (request) => {
    if (!request.url.startsWith(prefix)) return undefined
    const [path = ""] = request.url.split("?", 1)
    return path === prefix || path.startsWith(`${prefix}/`)
      ? admin.answer(path.slice(prefix.length), request)
      : undefined
  }
