import type { Catalogue } from "@tollgate/contract/Catalogue"
import * as Headers from "@tollgate/contract/Headers"
import { isFree } from "@tollgate/contract/price/Price"
import type { RateLimits } from "@tollgate/contract/RateLimits"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import * as Builtins from "./builtin/Builtins.ts"
import { type Model, Models, type PriceBook, Prices } from "../exchange/Prices.ts"
import { Approvals } from "../identity/approval/Approvals.ts"
import { addressNotAllowed } from "../identity/grant/scopes.ts"
import { ProtectedResources, type Resources } from "../identity/grant/Resources.ts"
import * as StoredFiles from "../cache/StoredFiles.ts"
import { asksForKept } from "../cache/requests.ts"
import type { Ending } from "./Ending.ts"
import * as Keep from "./kept/keep.ts"
import * as Endings from "./endings/Endings.ts"
import * as RecentAnswers from "./recentAnswers.ts"
import * as Observed from "./observed.ts"
import type { Accepted, Authenticated, Request, Routed } from "../exchange/Exchange.ts"
import { describeDefect } from "../internal/describeDefect.ts"
import { type Admission, unlimited } from "../limits/Admission.ts"
import { CurrentTracing, type Tracing } from "../observe/trace/Tracing.ts"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import { RefusedCalls } from "@tollgate/ledger/usage/RefusedCalls"
import { Ledger, type Available, OnMilestone } from "@tollgate/ledger/ledger/Ledger"
import { Refused, refuse, statusOf } from "@tollgate/contract/errors/Refused"
import type { Reply } from "../exchange/Reply.ts"
import * as RequestIds from "../exchange/RequestIds.ts"
import * as Router from "./router/Router.ts"
import { accept } from "./steps/01-accept.ts"
import { tokensOfFailure } from "./steps/04-admission.ts"
import * as Steps from "./steps/Steps.ts"

/** The path that every call takes, through whichever endpoint group it arrives. */
export interface Gateway {
  readonly catalogue: Catalogue
  readonly prices: PriceBook
  readonly models: ReadonlyArray<Model>
  /** `undefined`: it takes no access tokens. */
  readonly resources: Resources | undefined
  /** `undefined`: nobody can be asked for approval. */
  readonly approvals: Approvals["Service"] | undefined
  /** For a endpoint group whose requests are not all calls. `undefined`: nothing is traced. */
  readonly tracing: Tracing | undefined
  /** Gives a request its id and finds the operations at its path. */
  readonly accept: (request: Request) => Accepted
  /** Executes the call. A refusal is a reply too. A stream that nobody reads is settled when the `Scope` closes. */
  readonly run: (accepted: Accepted) => Effect.Effect<Reply, never, Scope>
  /** Finds whom the credential stands for, for a endpoint group whose requests are not all calls. */
  readonly authenticate: (accepted: Accepted) => Effect.Effect<Authenticated, Refused>
  /** Files that are too large for a tool's result. `undefined`: none are kept. */
  readonly files: StoredFiles.StoredFiles | undefined
  /** What a caller may still spend. */
  readonly left: (principal: Principal) => Effect.Effect<Available | undefined>
  /** Counts a request that is not a call towards its key's requests per minute. */
  readonly count: (authenticated: Authenticated) => Effect.Effect<RateLimits, Refused>
}

/** How far a call got. Its failure is answered by that. */
interface Progress {
  authenticated: Authenticated | undefined
  routed: Routed | undefined
  admission: Admission | undefined
  model: string | undefined
  /** From then on the ledger says how the call ends. */
  isReserved: boolean
  /** Of a call that may be repeated or resumed. */
  readonly holding: RecentAnswers.Holding | undefined
}

export const make = Effect.fnUntraced(function* (catalogue: Catalogue) {
  const router = Router.make(catalogue.bound)
  const nextId = yield* RequestIds.make
  const builtins = yield* Builtins.make(catalogue)
  const observed = yield* Observed.make
  const step = observed.steps(yield* observed.services(Steps.make(catalogue, router)))
  const responses = yield* Keep.make
  const ending = observed.endings(
    yield* observed.services(Endings.make(step.cap, step.reserve, observed.forward, responses))
  )
  const recentAnswers = yield* RecentAnswers.make(catalogue.names)
  const idempotencyMode = Headers.idempotencyMode.key(catalogue.names)
  const reached = yield* OnMilestone
  const clock = yield* Clock.Clock
  const refusedCalls = Option.getOrUndefined(yield* Effect.serviceOption(RefusedCalls))

  const path = Effect.fnUntraced(function* (
    accepted: Accepted,
    progress: Progress
  ): Effect.fn.Return<Ending, Refused, Scope> {
    const authenticated = yield* step.credential(accepted)
    progress.authenticated = authenticated
    const elsewhere = addressNotAllowed(authenticated)
    if (elsewhere !== undefined) return yield* elsewhere
    const routed = yield* Effect.catchEager(step.operation(authenticated), (refused) =>
      step.countRefused(authenticated, refused)
    )
    progress.routed = routed
    const mode = routed.request.headers[idempotencyMode]
    if (mode === "charge" || mode === "cancel") return yield* step.chargeOfKey(routed, mode)
    const admission = yield* step.admit(routed)
    progress.admission = admission
    yield* step.payable(routed)
    const decoded = yield* Effect.flatMapEager(step.request(routed), step.resolve)
    progress.model = decoded.model
    const restricted = decoded.principal?.restricted
    const otherModel = restricted && step.otherModel(restricted, decoded)
    if (otherModel !== undefined) return yield* otherModel

    const builtin = builtins[decoded.operation.id]
    if (builtin !== undefined && !decoded.wantsQuote) return yield* ending.builtin(decoded, builtin, admission)

    const priced = responses.withReasoning(yield* step.price(decoded))
    const { kept, limit } = priced.operation
    const asked = kept !== undefined && asksForKept(priced) && !priced.wantsQuote ? yield* step.kept(priced) : undefined
    if (asked?.hit !== undefined) return yield* ending.kept(priced, asked.hit, admission)
    yield* admission.takeTokens(priced)
    if (priced.wantsQuote) return yield* ending.quote(priced, admission)

    const authorized = step.actsForUser.has(priced.operation.id) ? yield* step.linkedUser(priced) : priced
    // A task is recorded even if it costs nothing.
    const startsTask = limit.tasks !== undefined
    if (!startsTask && isFree(authorized.price)) {
      const called = yield* step.upstream(authorized)
      const ended = yield* ending.free(authorized, called, admission)
      return asked === undefined ? ended : yield* step.store(asked, authorized, called, ended)
    }

    const exchange = yield* step.cap(authorized)
    const reserved = yield* step.reserve(exchange)
    if (reserved.kind === "replay") return yield* ending.replay(exchange, reserved, admission)
    const { reservation } = reserved
    progress.isReserved = true
    reached?.("reserved")

    const call = step.upstreamReserved(exchange, reservation)
    if (startsTask) return yield* ending.task(exchange, reservation, call, admission)

    const called = yield* call
    reached?.("called")
    const served = called.servedAs === undefined ? exchange : { ...exchange, ...called.servedAs }
    const ended =
      called.kind === "whole"
        ? yield* ending.whole(served, reservation, called, admission)
        : yield* ending.stream(served, reservation, called, admission)
    return asked === undefined ? ended : yield* step.store(asked, served, called, ended)
  })

  const ended = ({ reply, tokens }: Ending, { admission = unlimited }: Progress): Effect.Effect<Reply> =>
    tokens === "later" ? Effect.succeed(reply) : Effect.mapEager(admission.end(tokens), () => reply)

  /** The log has it, for a caller who asks why. */
  const logRefused = ({ authenticated, isReserved, model }: Progress, { refusal }: Refused): void => {
    const status = statusOf(refusal)
    const principal = authenticated?.principal
    if (authenticated === undefined || principal === undefined || isReserved || status >= 500) return
    const { code, message, param } = refusal
    refusedCalls?.add({
      id: authenticated.requestId,
      account: principal.account,
      key: principal.key ?? "",
      operation: authenticated.match?.operations.get(authenticated.request.method)?.id ?? "",
      model,
      status,
      code,
      message: param === undefined || message.includes(param) ? message : `${param}: ${message}`,
      createdAt: authenticated.since,
      endedAt: clock.currentTimeMillisUnsafe()
    })
  }

  const failed = (accepted: Accepted, progress: Progress, cause: Cause.Cause<Refused>) => {
    const { admission, holding, routed } = progress
    const refused = refusedCalls === undefined ? Option.none() : Cause.findErrorOption(cause)
    if (Option.isSome(refused)) logRefused(progress, refused.value)
    if (routed !== undefined) holding?.failed(routed, cause)
    if (routed === undefined || admission === undefined) return refusedReply(accepted, cause)
    return Effect.flatMapEager(admission.end(tokensOfFailure(cause)), () =>
      refusedReply(routed, cause, admission.limits)
    )
  }

  const refusedReply = (
    exchange: Accepted,
    cause: Cause.Cause<Refused>,
    limits: RateLimits = {}
  ): Effect.Effect<Reply> => {
    if (Cause.hasInterrupts(cause)) return Effect.failCause(cause as Cause.Cause<never>)
    const error = Cause.squash(cause)
    if (error instanceof Refused) return Effect.succeed({ kind: "refused", exchange, refused: error, limits })
    const refused = refuse(
      "internal_error",
      "The gateway failed to handle the request. Tell its operator the request id."
    )
    return Effect.as(
      Effect.logError("request failed", { requestId: exchange.requestId, defect: describeDefect(error) }),
      { kind: "refused", exchange, refused, limits }
    )
  }

  const gateway: Gateway = {
    catalogue,
    prices: yield* Prices,
    models: yield* Models,
    resources: yield* ProtectedResources,
    approvals: Option.getOrUndefined(yield* Effect.serviceOption(Approvals)),
    tracing: yield* CurrentTracing,
    files: yield* StoredFiles.make,
    left: (yield* Ledger).left,
    authenticate: (accepted) =>
      Effect.flatMapEager(step.credential(accepted), (found) => addressNotAllowed(found) ?? Effect.succeed(found)),
    count: step.count,
    accept: (request) => accept(router, request, nextId(), clock.currentTimeMillisUnsafe()),
    // Interruptible only inside `callerMayDisconnect`, so that leases are released and reservations ended.
    run: (accepted) => {
      const holding = recentAnswers?.isHeld(accepted) === true ? recentAnswers : undefined
      const progress: Progress = {
        authenticated: undefined,
        routed: undefined,
        admission: undefined,
        model: undefined,
        isReserved: false,
        holding
      }
      const answered = Effect.flatMap(path(accepted, progress), (ending) =>
        holding === undefined
          ? ended(ending, progress)
          : Effect.flatMapEager(holding.ended(ending), (held) => ended(held, progress))
      )
      const caught = Effect.catchCause(answered, (cause) => failed(accepted, progress, cause))
      const reply = observed.run?.(accepted, caught) ?? caught
      return Effect.uninterruptible(holding?.run(accepted, reply) ?? reply)
    }
  }
  return gateway
})
