import { adminApi } from "@tollgate/contract/admin/adminApi"
import type { Configuration, ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Accounts } from "@tollgate/ledger/account/Accounts"
import type { Audit } from "@tollgate/ledger/audit/Audit"
import { listGateways } from "@tollgate/ledger/fleet/gatewayRows"
import { CurrentGrantPolicy } from "../../identity/grant/GrantPolicy.ts"
import { Grants } from "../../identity/grant/Grants.ts"
import { ServiceAccounts } from "../../identity/grant/ServiceAccounts.ts"
import { SignIn } from "../../identity/signIn/SignIn.ts"
import { refuse, Refused } from "@tollgate/contract/errors/Refused"
import * as RequestIds from "../../exchange/RequestIds.ts"
import * as Rows from "@tollgate/ledger/store/rows"
import { CallLog } from "@tollgate/ledger/usage/CallLog"
import { Usage } from "@tollgate/ledger/usage/Usage"
import { type EndpointGroup, withAllBelow } from "../EndpointGroup.ts"
import { failure, refusal, reply } from "../jsonAnswers.ts"
import { type Handlers, makeRouter, makeRunner, withDocument } from "../managementApi/ApiRouter.ts"
import { operatorToken } from "../operatorToken.ts"
import { runningGateway, amount, time } from "../managementApi/shapes.ts"
import { accountHandlers, callHandlers, keyHandlers, usageHandlers } from "./accounts.ts"
import type { AdminRequest } from "./changeRecords.ts"
import { clientHandlers, grantHandlers } from "./grants.ts"
import { type ImportControl, importHandlers } from "./imports.ts"
import { overviewHandlers } from "./overview.ts"
import { type PriceParts, priceHandlers } from "./prices/routes.ts"
import { type UpstreamsInForce, upstreamHandlers } from "./upstreams.ts"
import { type WebhookControl, webhookHandlers } from "./webhooks.ts"
import type { audit as routes, AuditReport } from "@tollgate/contract/admin/Audit"
import * as Clock from "effect/Clock"
import type { Scope } from "effect/Scope"
import { singleFlight } from "../../internal/once.ts"

const text = (value: bigint | string | null): string | null => (value === null ? null : String(value))

export const auditTotals = ({ totals }: Audit): AuditReport["totals"] => ({
  accounts: amount(totals.accounts),
  keys: amount(totals.keys),
  grants: amount(totals.grants),
  calls: amount(totals.calls),
  entered_micros_usd: amount(totals.entered),
  charged_micros_usd: amount(totals.charged),
  loss_micros_usd: amount(totals.loss),
  balance_micros_usd: amount(totals.balance),
  reserved_micros_usd: amount(totals.reserved)
})

const report = (found: Audit, at: number, tookMillis: number): AuditReport => ({
  at: time(at),
  took_ms: tookMillis,
  correct: found.differences.length === 0,
  differences: found.differences.map(({ expected, stored, ...where }) => ({
    ...where,
    stored: text(stored),
    expected: text(expected)
  })),
  open: found.open.length,
  running: found.running.length,
  unknown: found.unknown.length,
  overdrafts: found.overdrafts.length,
  totals: auditTotals(found)
})

/** One audit runs at a time. A request that comes meanwhile gets the report of that one. */
const auditHandlers = (audit: Effect.Effect<Audit, SqlError>, scope: Scope): Handlers<typeof routes> => {
  const once = singleFlight<AuditReport, SqlError>(scope)
  const reported = Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    const found = yield* audit
    return report(found, started, (yield* Clock.currentTimeMillis) - started)
  })
  return { audit: () => once("", reported) }
}

const { groups, prefix } = adminApi

type Groups = typeof groups

/** The operator's API over HTTP, behind its own token. It is not in the catalogue and allows no other origin. */
export interface Admin {
  /** Fails unless the request has the token. */
  readonly authenticate: (request: HttpServerRequest) => Effect.Effect<void, Refused>
  /** For a token that was right when somebody signed in. It is no guess, and is not counted. */
  readonly isToken: (text: string) => Effect.Effect<boolean>
  /** The token, for who signs in by a link of the operator. Uses the link up. */
  readonly withLink: (secret: string) => Effect.Effect<Redacted.Redacted | undefined, SqlError>
  readonly answer: (path: string, request: HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>
}

/** The configuration of a program, which knows its file. */
export interface ConfigurationControl {
  readonly current: Effect.Effect<Configuration>
  readonly check: Effect.Effect<ConfigurationCheck>
  readonly reload: Effect.Effect<ConfigurationCheck>
}

/** What a program can add to accounts and keys. Without a part, or without the service that it needs, its paths are unknown. */
export interface Parts {
  readonly upstreams?: () => UpstreamsInForce
  readonly prices?: PriceParts
  readonly imports?: ImportControl
  /** Recomputes the books. */
  readonly audit?: Effect.Effect<Audit, SqlError>
  readonly configuration?: ConfigurationControl
  readonly webhooks?: WebhookControl
}

const valueOf = <A>(service: Option.Option<A>): A | undefined => Option.getOrUndefined(service)

/** The gateways that share the store. */
const gatewayHandlers = (sql: SqlClient): Handlers<Groups["gateways"]> => ({
  gateways: () =>
    Effect.map(Effect.provideService(listGateways, SqlClient, sql), (found) => ({
      gateways: found.map(runningGateway)
    }))
})

const handlersOf = Effect.fnUntraced(function* (parts: Parts) {
  const { audit, configuration, imports, prices, upstreams, webhooks } = parts
  const accounts = yield* Accounts
  const grants = valueOf(yield* Effect.serviceOption(Grants))
  const machines = valueOf(yield* Effect.serviceOption(ServiceAccounts))
  const sql = valueOf(yield* Effect.serviceOption(SqlClient))
  const policy = yield* CurrentGrantPolicy
  const usage = valueOf(yield* Effect.serviceOption(Usage))
  const log = valueOf(yield* Effect.serviceOption(CallLog))
  return {
    overview: usage && log && overviewHandlers(usage, log, parts),
    accounts: accountHandlers(accounts),
    keys: keyHandlers(accounts, prices?.gateway),
    usage: usage && usageHandlers(accounts, usage),
    calls: log && callHandlers(accounts, log),
    grants: grants && grantHandlers(grants, policy, prices?.gateway),
    clients: machines && grants && clientHandlers(machines, grants, policy, prices?.gateway),
    upstreams: upstreams && upstreamHandlers(upstreams),
    gateways: sql && gatewayHandlers(sql),
    prices: prices && sql && priceHandlers(prices, Rows.make(sql)),
    imports: imports && sql && importHandlers(imports, Rows.make(sql)),
    audit: audit && auditHandlers(audit, yield* Effect.scope),
    configuration: configuration && {
      configuration: () => configuration.current,
      checkConfiguration: () => configuration.check,
      // A reload that has begun is finished, whether or not the caller waits.
      reloadConfiguration: () => Effect.uninterruptible(configuration.reload)
    },
    webhooks: webhooks && webhookHandlers(webhooks)
  }
})

/** The routes by name, for commands on the store: no token, and no record of who asks. */
export const runner = (parts: Parts = {}) =>
  Effect.map(handlersOf(parts), (handlers) => {
    const run = makeRunner<AdminRequest>()(groups, withDocument(adminApi, handlers))
    return (group: keyof Groups, name: string, path: Readonly<Record<string, string>>, part: unknown) =>
      run(group, name, path, part, { address: undefined, requestId: "" })
  })

const routeNotFound = refuse("route_not_found", "The admin API has no such path.")

export const make = Effect.fnUntraced(function* (token: Redacted.Redacted, parts: Parts = {}) {
  const nextId = yield* RequestIds.make
  const { authenticate, isToken } = yield* operatorToken(token, "admin")
  const find = makeRouter<AdminRequest>()(groups, withDocument(adminApi, yield* handlersOf(parts)))
  const links = valueOf(yield* Effect.serviceOption(SignIn))

  const execute = Effect.fnUntraced(function* (path: string, request: HttpServerRequest, requestId: string) {
    yield* authenticate(request)
    const address = Option.getOrUndefined(request.remoteAddress)
    const found = find(path, request.method)
    if (found === undefined) return yield* routeNotFound
    return found instanceof Refused ? yield* found : yield* found.answer(request, { address, requestId })
  })

  const admin: Admin = {
    authenticate,
    isToken,
    withLink: (secret) =>
      links === undefined
        ? Effect.undefined
        : Effect.map(links.useOperatorLink(secret), (isLink) => (isLink ? token : undefined)),
    answer: (path, request) => {
      const requestId = nextId()
      return Effect.matchCauseEffect(execute(path, request, requestId), {
        onSuccess: ({ body, status }) => Effect.succeed(reply(status, body, requestId)),
        onFailure: (cause) => failure(cause, requestId, "admin request")
      })
    }
  }
  return admin
})

const turnedOff = refuse("route_not_found", "The admin API is off; set TOLLGATE_ADMIN_TOKEN.")

/** Answers in place of an API that has no token. */
export const off = Effect.map(RequestIds.make, (nextId): Admin => ({
  authenticate: () => Effect.fail(turnedOff),
  isToken: () => Effect.succeed(false),
  withLink: () => Effect.undefined,
  answer: () => Effect.sync(() => refusal(turnedOff, nextId()))
}))

export const endpoints = (admin: Admin): EndpointGroup => ({
  paths: withAllBelow(prefix),
  answer: (request, path) => admin.answer(path.slice(prefix.length), request)
})
