import type { Catalogue } from "@tollgate/contract/Catalogue"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { Keys } from "../credential/Keys.ts"
import type { Priced } from "../Exchange.ts"
import { Ledger, type Reservation } from "../ledger/Ledger.ts"
import { Limits } from "../Limits.ts"
import { Prices } from "../Prices.ts"
import type { Router } from "../Router.ts"
import { unknownPath } from "../unknownPath.ts"
import { Upstreams } from "../upstream/Upstreams.ts"
import { credential } from "./02-credential.ts"
import { operation } from "./03-operation.ts"
import { request } from "./04-request.ts"
import { admit, countRefused } from "./05-limits.ts"
import { price } from "./06-price.ts"
import { linkedUser } from "./07-linkedUser.ts"
import { cap } from "./08-cap.ts"
import { reserve } from "./09-reserve.ts"
import { callUpstream, endIfFailed } from "./10-upstream.ts"

/** Whether a repeated idempotency key replays the stored answer if the caller does not say. */
export const ReplayByDefault = Context.Reference<boolean>("@tollgate/gateway/ReplayByDefault", {
  defaultValue: () => false
})

/** The steps of the path, each with the services it needs. */
export const make = Effect.fnUntraced(function* (catalogue: Catalogue, router: Router) {
  const limits = yield* Limits
  const ledger = yield* Ledger
  const user = yield* linkedUser(catalogue.names)
  const call = callUpstream(yield* Upstreams, user)
  const endsIfFailed = endIfFailed(ledger)
  return {
    credential: credential(yield* Keys),
    operation: operation(unknownPath(catalogue, router)),
    request,
    limits: admit(limits),
    countRefused: countRefused(limits),
    price: price(yield* Prices),
    linkedUser: user.authorize,
    cap,
    reserve: reserve(ledger, yield* Digest, yield* ReplayByDefault),
    upstream: call,
    upstreamReserved: (exchange: Priced, reservation: Reservation) => endsIfFailed(call(exchange), reservation)
  }
})
