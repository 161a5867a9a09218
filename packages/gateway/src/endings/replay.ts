import * as Headers from "@tollgate/contract/Headers"
import type { Priced } from "../Exchange.ts"
import type { StoredAnswer } from "../ledger/Ledger.ts"
import type { Admission } from "../limits/Admission.ts"
import { type Ending, free, wholeEnding } from "./Ending.ts"

const replayed = { [Headers.idempotentReplayed]: "true" }

/** The call completed before under the same idempotency key: its stored answer is sent again and costs nothing. */
export const replay = (exchange: Priced, stored: StoredAnswer, admission: Admission): Ending =>
  wholeEnding(exchange, { ...stored, headers: replayed }, admission, free, 0)
