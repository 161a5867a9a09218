import * as Settle from "@tollgate/contract/price/settle"
import * as Option from "effect/Option"
import type { Priced } from "../Exchange.ts"
import type { PriceBook } from "../Prices.ts"
import type { Called } from "../upstream/Upstreams.ts"

/** What the answer proves it cost. `none`: it failed and costs nothing, or succeeded and proves nothing. */
export const meter =
  ({ multiplier }: PriceBook) =>
  (exchange: Priced, { answer, protocol }: Called): Option.Option<Settle.Settlement> =>
    Option.flatMap(protocol.evidence(exchange, answer), (evidence) =>
      Settle.settle(exchange.price, evidence, multiplier)
    )
