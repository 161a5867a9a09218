import * as Effect from "effect/Effect"
import type { Builtin } from "../../exchange/Builtin.ts"
import type { Decoded } from "../../exchange/Exchange.ts"
import { callerMayLeave } from "../../internal/callerMayLeave.ts"
import type { Admission } from "../../limits/Admission.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { type Ending, free, wholeEnding } from "../Ending.ts"

/** The gateway answers the operation itself. */
export const builtin = (exchange: Decoded, answer: Builtin, admission: Admission): Effect.Effect<Ending, Refused> =>
  Effect.map(callerMayLeave(answer(exchange)), (answer) =>
    wholeEnding(exchange, answer, admission, answer.charge ?? free, undefined)
  )
