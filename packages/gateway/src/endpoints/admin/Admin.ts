import { adminApi } from "@tollgate/contract/admin/adminApi"
import type { Configuration, ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Accounts } from "@tollgate/ledger/account/Accounts"
import type { Audit } from "@tollgate/ledger/audit/Audit"
import type { Difference } from "@tollgate/ledger/ledger/Difference"
import { listGateways } from "@tollgate/ledger/fleet/gatewayRows"
import { CurrentGrantPolicy } from "../../identity/grant/GrantPolicy.ts"
import { Grants } from "../../identity/grant/Grants.ts"
import { ServiceAccounts } from "../../identity/grant/ServiceAccounts.ts"
import { Operators } from "../../identity/operator/Operators.ts"
import { SignIn } from "../../identity/signIn/SignIn.ts"
import { mayUse } from "@tollgate/contract/admin/Operator"
import { KeyHash } from "@tollgate/ledger/credential/KeyHash"
import * as Trail from "@tollgate/ledger/trail/Trail"
import { type Head, missing, readHead, writeHead } from "@tollgate/ledger/trail/verify"
import { paymentHandlers } from "./payments.ts"
import { trailHandlers } from "./trail.ts"
import { CurrentPayments } from "../../payment/Payments.ts"
import { refuse, Refused } from "@tollgate/contract/errors/Refused"
import * as RequestIds from "../../exchange/RequestIds.ts"
import * as Rows from "@tollgate/ledger/store/rows"
import { CallLog } from "@tollgate/ledger/usage/CallLog"
import { Usage } from "@tollgate/ledger/usage/Usage"
import { type EndpointGroup, withAllBelow } from "../EndpointGroup.ts"
import { failure, reply } from "../jsonAnswers.ts"
import { type Handlers, makeRouter, makeRunner, withDocument } from "../managementApi/ApiRouter.ts"
import { bearerOf, operatorToken } from "../operatorToken.ts"
import { runningGateway, amount, time } from "../managementApi/shapes.ts"
import { accountHandlers, callHandlers, keyHandlers, usageHandlers } from "./accounts.ts"
import { type AdminRequest, type Asking, causeOf, command, sharedToken } from "./AdminRequest.ts"
import { CurrentOperatorPolicy, operatorHandlers } from "./operators.ts"
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

const shownDifference = ({ expected, stored, ...where }: Difference) => ({
  ...where,
  stored: text(stored),
  expected: text(expected)
})

/** Of the books and of the trail, with its end. */
export interface WholeAudit extends Audit {
  readonly head: Head
}

const report = (found: WholeAudit, at: number, tookMillis: number): AuditReport => ({
  at: time(at),
  took_ms: tookMillis,
  correct: found.differences.length === 0,
  differences: found.differences.map(shownDifference),
  open: found.open.length,
  running: found.running.length,
  unknown: found.unknown.length,
  overdrafts: found.overdrafts.length,
  totals: auditTotals(found),
  trail_head: writeHead(found.head)
})

/** One audit runs at a time. A request that comes meanwhile gets the report of that one. */
const auditHandlers = (
  audit: Effect.Effect<WholeAudit, SqlError>,
  rows: Rows.Rows,
  scope: Scope
): Handlers<typeof routes> => {
  const once = singleFlight<AuditReport, SqlError>(scope)
  const reported = Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    const found = yield* audit
    return report(found, started, (yield* Clock.currentTimeMillis) - started)
  })
  return {
    audit: Effect.fnUntraced(function* ({ body: { trail_head: known } }) {
      const made = yield* once("", reported)
      const cut = known === undefined ? [] : yield* missing(rows, readHead(known))
      const differences = [...made.differences, ...cut.map(shownDifference)]
      return { ...made, correct: differences.length === 0, differences }
    })
  }
}

const { groups, prefix } = adminApi

type Groups = typeof groups

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
  /** Recomputes the books, and proves the trail. */
  readonly audit?: Effect.Effect<WholeAudit, SqlError>
  readonly configuration?: ConfigurationControl
  readonly webhooks?: WebhookControl
}

const valueOf = <A>(service: Option.Option<A>): A | undefined => Option.getOrUndefined(service)

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
  const operators = valueOf(yield* Effect.serviceOption(Operators))
  const people = operators && (yield* operatorHandlers(operators, groups))
  const rows = sql && Rows.make(sql)
  const hash = valueOf(yield* Effect.serviceOption(KeyHash))
  const trail = sql && hash && Trail.make(sql, hash)
  const policy = yield* CurrentGrantPolicy
  const payments = yield* CurrentPayments
  const usage = valueOf(yield* Effect.serviceOption(Usage))
  const log = valueOf(yield* Effect.serviceOption(CallLog))
  return {
    overview: usage && log && overviewHandlers(usage, log, parts),
    accounts: accountHandlers(accounts, yield* CurrentOperatorPolicy),
    payments: payments && paymentHandlers(payments),
    keys: keyHandlers(accounts, prices?.gateway),
    usage: usage && usageHandlers(accounts, usage),
    calls: log && callHandlers(accounts, log),
    grants: grants && grantHandlers(grants, policy, prices?.gateway),
    clients: machines && grants && clientHandlers(machines, grants, policy, prices?.gateway),
    upstreams: upstreams && upstreamHandlers(upstreams),
    gateways: sql && gatewayHandlers(sql),
    prices: prices && rows && trail && priceHandlers(prices, rows, trail),
    imports: imports && trail && importHandlers(imports, trail),
    audit: audit && rows && auditHandlers(audit, rows, yield* Effect.scope),
    trail: rows && trailHandlers(rows),
    configuration: configuration && {
      configuration: () => configuration.current,
      checkConfiguration: () => configuration.check,
      // A reload that has begun is finished, whether or not the caller waits.
      reloadConfiguration: () => Effect.uninterruptible(configuration.reload)
    },
    webhooks: webhooks && webhookHandlers(webhooks),
    operators: people?.operators,
    tokens: people?.tokens
  }
})

/** The routes by name, for commands on the store: no token, and no record of who asks. */
export const runner = (parts: Parts = {}) =>
  Effect.map(handlersOf(parts), (handlers) => {
    const run = makeRunner<AdminRequest>()(groups, withDocument(adminApi, handlers))
    return (group: keyof Groups, name: string, path: Readonly<Record<string, string>>, part: unknown) =>
      Effect.provideService(run(group, name, path, part, command), Trail.CurrentCause, causeOf(command))
  })

const routeNotFound = refuse("route_not_found", "The admin API has no such path.")

const turnedOff = refuse(
  "route_not_found",
  "The admin API is off; set TOLLGATE_ADMIN_TOKEN, or add an operator: tollgate operators create."
)

const denied = ({ name, role }: Asking) =>
  refuse("access_denied", `${name} may not do this: the role ${role} does not include it.`)

/**
 * The operators' API over HTTP, behind tokens of its own. It is not in the catalogue and allows no other origin. `token`: the
 * shared one. Without it, and without operators, the API is off.
 */
export const make = Effect.fnUntraced(function* (token: Redacted.Redacted | undefined, parts: Parts = {}) {
  const nextId = yield* RequestIds.make
  const shared = yield* operatorToken(token, "admin")
  const find = makeRouter<AdminRequest>()(groups, withDocument(adminApi, yield* handlersOf(parts)))
  const links = valueOf(yield* Effect.serviceOption(SignIn))
  const operators = valueOf(yield* Effect.serviceOption(Operators))

  const named = (text: string | undefined) =>
    text === undefined || operators === undefined ? Effect.undefined : operators.find(text)

  const authenticate = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const found = yield* named(bearerOf(request.headers))
    if (found !== undefined) return found
    if (token === undefined && (operators === undefined || (yield* operators.areNone))) return yield* turnedOff
    yield* shared.authenticate(request)
    return sharedToken
  })

  const execute = Effect.fnUntraced(function* (path: string, request: HttpServerRequest, requestId: string) {
    const asked = { by: yield* authenticate(request), address: Option.getOrUndefined(request.remoteAddress), requestId }
    const found = find(path, request.method)
    if (found === undefined) return yield* routeNotFound
    if (found instanceof Refused) return yield* found
    if (!mayUse(found.route, asked.by.role)) return yield* denied(asked.by)
    return yield* Effect.provideService(found.answer(request, asked), Trail.CurrentCause, causeOf(asked))
  })

  return {
    /** Who asks. Fails without a token that is right. */
    authenticate,
    /** For a token that was right when somebody signed in. It is no guess, and is not counted. */
    isToken: (text: string) =>
      Effect.flatMap(named(text), (found) => (found === undefined ? shared.isToken(text) : Effect.succeed(true))),
    /** A token, for who signs in by a link. Uses the link up. */
    withLink: Effect.fnUntraced(function* (secret: string) {
      const session = yield* operators?.useLink(secret) ?? Effect.undefined
      if (session !== undefined || links === undefined || token === undefined) return session
      return (yield* links.useOperatorLink(secret)) ? token : undefined
    }),
    answer: (path: string, request: HttpServerRequest) => {
      const requestId = nextId()
      return Effect.matchCauseEffect(execute(path, request, requestId), {
        onSuccess: ({ body, status }) => Effect.succeed(reply(status, body, requestId)),
        onFailure: (cause) => failure(cause, requestId, "admin request")
      })
    }
  }
})

export type Admin = Effect.Success<ReturnType<typeof make>>

export const endpoints = (admin: Admin): EndpointGroup => ({
  paths: withAllBelow(prefix),
  answer: (request, path) => admin.answer(path.slice(prefix.length), request)
})
