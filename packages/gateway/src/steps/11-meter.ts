import * as Settle from "@tollgate/contract/price/settle"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Priced } from "../Exchange.ts"
import { Prices } from "../Prices.ts"
import type { Called } from "../upstream/Upstreams.ts"

/** What the answer proves it cost. `none`: it failed and costs nothing, or succeeded and proves nothing. */
export const meter = Effect.fnUntraced(function* (exchange: Priced, { answer, protocol }: Called) {
  const { multiplier } = yield* Prices
  return Option.flatMap(protocol.evidence(exchange, answer), (evidence) =>
    Settle.settle(exchange.price, evidence, multiplier)
  )
})
