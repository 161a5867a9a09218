import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { NameLimit } from "../../limits/NameLimit.ts"
import { refuse, Refused } from "@tollgate/contract/errors/Refused"
import { accountApi } from "@tollgate/contract/account/accountApi"
import type { Scenario, Offer, OfferedOperation } from "@tollgate/contract/account/Offer"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import { CurrentCause } from "@tollgate/ledger/trail/Trail"
import { Accounts, type NewKey } from "@tollgate/ledger/account/Accounts"
import { BaseUrl } from "../../exchange/BaseUrl.ts"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import { Compression, type Compress } from "../../document/Compression.ts"
import { FixedDocument, fixedDocument } from "../../document/FixedDocument.ts"
import type { Accepted, Request } from "../../exchange/Exchange.ts"
import type { Gateway } from "../../call/Gateway.ts"
import { CurrentGrantPolicy } from "../../identity/grant/GrantPolicy.ts"
import { Grants } from "../../identity/grant/Grants.ts"
import { ProtectedResources } from "../../identity/grant/Resources.ts"
import { Limits } from "../../limits/Limits.ts"
import { Links } from "../../identity/link/Links.ts"
import { Tasks } from "../../call/task/Tasks.ts"
import { Billing } from "@tollgate/ledger/account/Billing"
import { CallLog } from "@tollgate/ledger/usage/CallLog"
import { Usage } from "@tollgate/ledger/usage/Usage"
import { type EndpointGroup, withAllBelow } from "../EndpointGroup.ts"
import { requestOf } from "../http/Http.ts"
import { failure, reply, replyText, replyWith } from "../jsonAnswers.ts"
import { type Handlers, makeRouter, withDocument } from "../managementApi/ApiRouter.ts"
import { type Caller, needs } from "./Caller.ts"
import { approvalHandlers, grantHandlers, linkHandlers } from "./access.ts"
import { billingHandlers } from "./billing.ts"
import { callHandlers, usageHandlers, limitHandlers, taskHandlers } from "./calls.ts"
import { keyHandlers } from "./keys.ts"
import { modelHandlers } from "./models.ts"
import { paymentHandlers } from "./payments.ts"
import { CurrentPayments } from "../../payment/Payments.ts"
import { demoHandlers, profileHandlers } from "./profile.ts"
import { snippetsOfCall } from "./snippets.ts"
import { operations } from "@tollgate/contract/operations"
import { fill } from "@tollgate/contract/Names"
import type { Bound, Operation } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import { modelsOf } from "../docs/Site.ts"
import { detailsOf } from "../catalogue/details.ts"

const inContract: ReadonlySet<string> = new Set(operations.map(({ id }) => id))

const offered = (operation: Bound, described: Operation, { models, prices }: Gateway): OfferedOperation => {
  const details = detailsOf(operation, described, prices, models)
  return {
    id: operation.id,
    template: described.id,
    category: operation.category,
    summary: operation.summary,
    method: operation.method,
    path: operation.path,
    input_schema: details.input_schema,
    is_custom: !inContract.has(described.id),
    example: details.example,
    price: details.price.words,
    is_free: details.price.state === "free",
    streams: details.streams,
    starts_task: operation.limit.tasks !== undefined,
    family: operation.family,
    limits: details.limits.words,
    models: [...new Set(modelsOf(operation.id, details.price, models))]
  }
}

/** How many operations are described before others get a turn. */
const atATime = 20

/** An `Offer`, as JSON. */
const textOf = Effect.fnUntraced(function* (gateway: Gateway, scenarios: Offer["scenarios"]): Effect.fn.Return<string> {
  const { byId, names, operations } = gateway.catalogue
  const all: Array<string> = []
  for (const described of operations) {
    const operation = byId.get(fill(described.id, names))
    if (operation === undefined) continue
    all.push(JSON.stringify(offered(operation, described, gateway)))
    if (all.length % atATime === 0) yield* Effect.yieldNow
  }
  const rest: Omit<Offer, "operations"> = { names, scenarios }
  return `${JSON.stringify(rest).slice(0, -1)},"operations":[${all.join(",")}]}`
})

/** What a gateway offers, made once for each: a reload of the configuration makes a new gateway. */
const offers = (compress: Compress | undefined) => {
  const made = new WeakMap<Gateway, { readonly scenarios: Offer["scenarios"]; readonly document: FixedDocument }>()
  return Effect.fnUntraced(function* (gateway: Gateway, scenarios: Offer["scenarios"]) {
    const known = made.get(gateway)
    if (known?.scenarios === scenarios) return known.document
    const bytes = Utf8.encode(yield* textOf(gateway, scenarios))
    const document = yield* fixedDocument("offer", bytes, compress)
    made.set(gateway, { scenarios, document })
    return document
  })
}

/** Milliseconds: a fifth of the time, and two seconds at once. */
const storeMillis = { burst: 2_000, perMinute: 12_000 }

const tooMuchRead = (retryAfter: number) =>
  refuse(
    "rate_limit_exceeded",
    "The log, the usage and the transactions of this account took too much time to read; slow down.",
    {
      retryAfter
    }
  )

/** How long the store may work for what one account asks of it: an embedded store answers nobody else meanwhile. */
export class StoreShare {
  readonly #used = new NameLimit(storeMillis)

  /** What reads the store for an account, refused while the account has used up its time. */
  limit<A, E>(account: string, read: Effect.Effect<A, E>): Effect.Effect<A, E | Refused> {
    return Effect.gen({ self: this }, function* () {
      const started = yield* Clock.currentTimeMillis
      const wait = this.#used.wait(account, started)
      if (wait > 0) return yield* tooMuchRead(wait)
      return yield* Effect.ensuring(
        read,
        Effect.map(Clock.currentTimeMillis, (now) => this.#used.spend(account, now, Math.max(0, now - started)))
      )
    })
  }
}

const { prefix } = accountApi

/** The groups whose answers can take the store long to read. */
const readsStore: ReadonlySet<string> = new Set(["calls", "usage", "billing"])

export interface Options {
  /** The scenarios of the sandbox. `undefined`: calls do not reach it. */
  readonly sandbox?: () => ReadonlyArray<Scenario> | undefined
  /** The key that a page on this machine gets without a credential. */
  readonly demo?: () => NewKey | undefined
}

/** Requests of one credential. They do not count towards its key's own limits, which they show. */
const limit = { burst: 600, perMinute: 600 }

const missing = refuse("missing_credential", "Send a credential: Authorization: Bearer <key>.", {
  headers: { "WWW-Authenticate": "Bearer" }
})
const routeNotFound = refuse("route_not_found", "The account API has no such path here.")
const tooMany = (retryAfter: number) =>
  refuse("rate_limit_exceeded", "The account API answers 600 requests a minute for each credential; slow down.", {
    retryAfter
  })

/** The credential is read from the header `Authorization` alone, and is not one of an operation. */
const authRequest = (request: HttpServerRequest): Request => {
  const { authorization } = request.headers
  return { ...requestOf(request), url: prefix, headers: authorization === undefined ? {} : { authorization } }
}

const noScenarios: ReadonlyArray<Scenario> = []

const idOf = ({ account, key, rootKey }: Principal): string => rootKey ?? key ?? account

/** As the trail names who changed something. */
const whoOf = ({ account, grant, key }: Principal): string =>
  grant === undefined
    ? `key ${key ?? account}`
    : grant.isConsole === true
      ? `console of ${account}`
      : `app ${key ?? account}`

/** What the owner of a credential sees and does over HTTP. It is not in the catalogue and allows no other origin. */
export const make = Effect.fnUntraced(function* (gateway: () => Gateway, options: Options = {}) {
  const { demo: demoKey = () => undefined, sandbox = () => undefined } = options
  const accounts = yield* Accounts
  const grants = yield* Grants
  const calls = Option.getOrUndefined(yield* Effect.serviceOption(CallLog))
  const usage = Option.getOrUndefined(yield* Effect.serviceOption(Usage))
  const billing = Option.getOrUndefined(yield* Effect.serviceOption(Billing))
  const links = Option.getOrUndefined(yield* Effect.serviceOption(Links))
  const limits = Option.getOrUndefined(yield* Effect.serviceOption(Limits))
  const tasks = Option.getOrUndefined(yield* Effect.serviceOption(Tasks))
  const resources = yield* ProtectedResources
  const requests = new NameLimit(limit)
  const share = new StoreShare()
  const baseUrl = yield* BaseUrl
  const payments = yield* CurrentPayments
  const offerOf = offers(yield* Compression)
  const { demo, ...groups } = accountApi.groups
  const findOpen = makeRouter<HttpServerRequest>()({ demo }, { demo: demoHandlers(accounts, demoKey) })
  const handlers = {
    profile: profileHandlers(accounts, () => sandbox() !== undefined),
    calls: calls && callHandlers(calls),
    usage: usage && usageHandlers(usage),
    billing: billing && billingHandlers(billing, accounts),
    payments: payments && paymentHandlers(payments, accounts, `${baseUrl}/billing?payment=`),
    limits: limits && limitHandlers(limits, tasks),
    tasks: tasks && taskHandlers(tasks, accounts),
    keys: keyHandlers(accounts),
    grants: grantHandlers(grants, accounts, yield* CurrentGrantPolicy),
    approvals: approvalHandlers(grants, accounts),
    link: linkHandlers(links),
    models: modelHandlers,
    operations: {
      offer: (_, { gateway }) => offerOf(gateway, sandbox() ?? noScenarios),
      snippets: ({ body }, { gateway }) => Effect.fromResult(snippetsOfCall(gateway, baseUrl, body))
    } satisfies Handlers<typeof groups.operations, Caller>
  }
  const find = makeRouter<Caller>()(groups, withDocument(accountApi, handlers))

  const execute = Effect.fnUntraced(function* (
    current: Gateway,
    accepted: Accepted,
    request: HttpServerRequest,
    path: string
  ) {
    const open = findOpen(path, request.method)
    if (open instanceof Refused) return yield* open
    if (open !== undefined) return yield* open.answer(request, request)
    const { principal } = yield* current.authenticate(accepted)
    if (principal === undefined) return yield* missing
    const wait = requests.take(idOf(principal), yield* Clock.currentTimeMillis)
    if (wait > 0) return yield* tooMany(wait)
    const found = find(path, request.method)
    if (found === undefined) return yield* routeNotFound
    if (found instanceof Refused) return yield* found
    const caller: Caller = { gateway: current, principal, resources }
    const answer = Effect.andThen(needs(caller, found.route.scope), found.answer(request, caller)).pipe(
      Effect.provideService(CurrentCause, {
        who: whoOf(principal),
        address: Option.getOrNull(request.remoteAddress),
        request: accepted.requestId
      })
    )
    return yield* readsStore.has(found.group) ? share.limit(principal.account, answer) : answer
  })

  const answer = (request: HttpServerRequest, path: string): Effect.Effect<HttpServerResponse> => {
    const current = gateway()
    const accepted = current.accept(authRequest(request))
    const { requestId } = accepted
    return Effect.matchCauseEffect(execute(current, accepted, request, path.slice(prefix.length)), {
      onSuccess: ({ body, status, type }) =>
        body instanceof FixedDocument
          ? replyWith(body, request.headers["accept-encoding"], requestId)
          : Effect.succeed(
              type === undefined ? reply(status, body, requestId) : replyText(String(body), type, requestId)
            ),
      onFailure: (cause) => failure(cause, requestId, "account request")
    })
  }

  const endpoints: EndpointGroup = { paths: withAllBelow(prefix), answer }
  return endpoints
})
