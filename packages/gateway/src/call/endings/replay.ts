import * as Headers from "@tollgate/contract/Headers"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Reserved } from "../../books/ledger/Ledger.ts"
import type { Admission } from "../../limits/Admission.ts"
import { type Ending, free, wholeEnding } from "../Ending.ts"

type Replay = Extract<Reserved, { readonly kind: "replay" }>

/**
 * The call completed before under the same idempotency key: its stored answer is sent again and costs nothing. A header
 * says what the first call was charged, once that is known.
 */
export const replay = (exchange: Priced, { answer, charge: { micros } }: Replay, admission: Admission): Ending => {
  const headers = {
    [Headers.idempotentReplayed]: "true",
    ...(micros === undefined ? {} : { [Headers.replayedCost(exchange.operation.names)]: String(micros) })
  }
  return wholeEnding(exchange, { ...answer, headers }, admission, free, 0)
}
