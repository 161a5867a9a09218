import type { Catalogue } from "@tollgate/contract/Catalogue"
import { isByModel } from "@tollgate/contract/price/Price"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Keys } from "@tollgate/ledger/credential/Keys"
import type { Restricted } from "@tollgate/ledger/credential/Restrictions"
import { Ledger, OnMilestone } from "@tollgate/ledger/ledger/Ledger"
import type { Decoded, Routed } from "../../exchange/Exchange.ts"
import { Prices } from "../../exchange/Prices.ts"
import { Approvals } from "../../identity/approval/Approvals.ts"
import { modelNotAllowed } from "../../identity/grant/scopes.ts"
import { ProtectedResources } from "../../identity/grant/Resources.ts"
import { turns } from "../../internal/Turns.ts"
import { RecentAnswers } from "../../cache/RecentAnswers.ts"
import { callersHeaders, requestKey } from "../../cache/requestKey.ts"
import { attemptCount } from "../../cache/requests.ts"
import { Limits } from "../../limits/Limits.ts"
import { CallerLimits } from "../../limits/NameLimit.ts"
import { Upstreams } from "../../upstream/Upstreams.ts"
import type { Router } from "../router/Router.ts"
import { resolve } from "../kept/resolve.ts"
import { unknownPath } from "../router/unknownPath.ts"

import { credential } from "./02-credential.ts"
import { chargeOfKey } from "./03-chargeOfKey.ts"
import { operation } from "./03-operation.ts"
import { admit, countRefused, payable, SlotWait } from "./04-admission.ts"
import { request } from "./05-request.ts"
import { price } from "./06-price.ts"
import { kept } from "./07-cache.ts"
import { linkedUser } from "./08-linkedUser.ts"
import { cap } from "./09-cap.ts"
import { approve, givesBack } from "./10-approve.ts"
import { idempotencyId, reserve } from "./11-reserve.ts"
import { callReserved, callUnlessLeft, callUpstream } from "./12-upstream.ts"
import { store } from "./16-store.ts"

/** Whether a repeated idempotency key replays the stored answer if the caller does not say. */
export const ReplayByDefault = Context.Reference<boolean>("@tollgate/gateway/ReplayByDefault", {
  defaultValue: () => false
})

/**
 * The steps of the path in the order in which they run, each with the services it needs. `accept` is the router's, and the
 * endings have those between the upstream's answer and the store: meter, keep and settle.
 */
export const make = Effect.fnUntraced(function* (catalogue: Catalogue, router: Router) {
  const limits = yield* Limits
  const ledger = yield* Ledger
  const prices = yield* Prices
  const digest = yield* Digest
  const resources = yield* ProtectedResources
  const upstreams = yield* Upstreams
  const { names } = catalogue
  const user = yield* linkedUser(names)
  const held = Option.getOrUndefined(yield* Effect.serviceOption(RecentAnswers))
  const approvals = Option.getOrUndefined(yield* Effect.serviceOption(Approvals))

  const idOf = (exchange: Routed) => idempotencyId(digest, exchange)
  const isResumed = (exchange: Routed): Effect.Effect<boolean> | undefined => {
    const id = held && idOf(exchange)
    return id && Effect.map(id, (id) => held.claimed(id) !== undefined)
  }
  const isRepeat = (exchange: Routed) => held !== undefined && (attemptCount(exchange) ?? 0) > 0
  const digestOf = requestKey(catalogue, digest, upstreams)
  const approved = approve(approvals, digest, { digestOf, headersOf: callersHeaders(upstreams) }, resources)
  const reserved = reserve(ledger, digest, names, yield* ReplayByDefault, held && { held, digestOf })
  const call = callUpstream(upstreams, user, turns)
  return {
    count: limits.count,
    countRefused: countRefused(limits),

    credential: credential(yield* Keys, yield* CallerLimits, resources),
    operation: operation(names, unknownPath(catalogue, router), prices, resources),
    chargeOfKey: chargeOfKey(limits, ledger, idOf, held),
    admit: admit(names, limits, (yield* SlotWait).longestMillis, isResumed),
    payable: payable(ledger, prices, idOf, isRepeat),
    request: request(prices, turns),
    resolve: yield* resolve,
    /** The refusal of a model that the key is not for. */
    otherModel: (restricted: Restricted, { model, operation }: Decoded) =>
      modelNotAllowed(restricted, model, () => isByModel(prices.of(operation))),
    price: price(prices, turns, yield* Effect.clockWith(Effect.succeed), upstreams),
    kept: yield* kept(catalogue),
    actsForUser: user.operations,
    linkedUser: user.authorize,
    cap: cap(names, approved, ledger.isClaimed, idOf),
    reserve: givesBack(approvals, reserved, yield* OnMilestone),
    upstream: callUnlessLeft(call),
    upstreamReserved: callReserved(call, ledger),
    store: yield* store
  }
})

export type Steps = Effect.Success<ReturnType<typeof make>>
