import type { Catalogue } from "@tollgate/contract/Catalogue"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Keys } from "@tollgate/ledger/credential/Keys"
import type { Priced, Routed } from "../../exchange/Exchange.ts"
import { Approvals } from "../../identity/approval/Approvals.ts"
import { ProtectedResources } from "../../identity/grant/Resources.ts"
import { turns } from "../../internal/Turns.ts"
import { Ledger, OnMilestone, type Reservation } from "@tollgate/ledger/ledger/Ledger"
import { Limits } from "../../limits/Limits.ts"
import { CallerLimits } from "../../limits/CallerLimits.ts"
import { admitting, PlaceWait } from "../../limits/PlaceWait.ts"
import { Prices } from "../../exchange/Prices.ts"
import type { Router } from "../router/Router.ts"
import { unknownPath } from "../router/unknownPath.ts"
import * as CallersHeaders from "../../upstream/callersHeaders.ts"
import { Upstreams } from "../../upstream/Upstreams.ts"
import { credential } from "./02-credential.ts"
import { operation } from "./03-operation.ts"
import { admitResumed, countRefused, payable } from "./04-admission.ts"
import { request } from "./05-request.ts"
import { HeldAnswers } from "../../kept/HeldAnswers.ts"
import { isAsked } from "../../kept/ResumeRequest.ts"
import { attemptCount } from "../../kept/attemptCount.ts"
import * as RequestKey from "../../kept/requestKey.ts"
import { kept } from "./07-kept.ts"
import { price } from "./06-price.ts"
import { linkedUser } from "./08-linkedUser.ts"
import { approve, givesBack } from "./09-approve.ts"
import { cap, orRepeat } from "./09-cap.ts"
import { idempotencyId, reserve } from "./10-reserve.ts"
import { callUnlessLeft, callUnlessRepeated, callUpstream, endIfFailed } from "./11-upstream.ts"
import { store } from "./15-store.ts"

/** Whether a repeated idempotency key replays the stored answer if the caller does not say. */
export const ReplayByDefault = Context.Reference<boolean>("@tollgate/gateway/ReplayByDefault", {
  defaultValue: () => false
})

/** The steps of the path, each with the services it needs. */
export const make = Effect.fnUntraced(function* (catalogue: Catalogue, router: Router) {
  const limits = yield* Limits
  const ledger = yield* Ledger
  const prices = yield* Prices
  const digest = yield* Digest
  const resources = yield* ProtectedResources
  const user = yield* linkedUser(catalogue.names)
  const upstreams = yield* Upstreams
  const call = callUpstream(upstreams, user, turns)
  const held = Option.getOrUndefined(yield* Effect.serviceOption(HeldAnswers))
  const digestOf = RequestKey.make(catalogue, digest, upstreams)
  const attempts = held && { held, digestOf }
  const approvals = Option.getOrUndefined(yield* Effect.serviceOption(Approvals))
  const approved = approve(approvals, digest, { digestOf, headersOf: CallersHeaders.make(upstreams) }, resources)
  const callReserved = callUnlessRepeated(call)
  const endsIfFailed = endIfFailed(ledger)
  const isResumed = (exchange: Routed): Effect.Effect<boolean> | undefined => {
    const id = held && idempotencyId(digest, exchange)
    return id && Effect.map(id, (id) => held.claimed(id) !== undefined)
  }
  return {
    credential: credential(yield* Keys, yield* CallerLimits, resources),
    operation: operation(unknownPath(catalogue, router), prices, resources),
    admit: admitResumed(
      admitting(limits, (yield* PlaceWait).longestMillis),
      limits.count,
      isAsked(catalogue.names),
      isResumed
    ),
    count: limits.count,
    countRefused: countRefused(limits),
    payable: payable(
      ledger,
      prices,
      (exchange) => idempotencyId(digest, exchange),
      (exchange) => attempts !== undefined && (attemptCount(exchange) ?? 0) > 0
    ),
    request: request(prices, turns),
    price: price(prices, turns, yield* Effect.clockWith(Effect.succeed)),
    kept: yield* kept(catalogue),
    linkedUser: user.authorize,
    cap: orRepeat(
      (exchange) => Effect.flatMapEager(cap(exchange), approved),
      ledger.isClaimed,
      (exchange) => idempotencyId(digest, exchange)
    ),
    reserve: givesBack(approvals, reserve(ledger, digest, yield* ReplayByDefault, attempts), yield* OnMilestone),
    upstream: callUnlessLeft(call),
    upstreamReserved: (exchange: Priced, reservation: Reservation) => endsIfFailed(callReserved(exchange), reservation),
    store: yield* store
  }
})

export type Steps = Effect.Success<ReturnType<typeof make>>
