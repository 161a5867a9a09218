import { afterTrying, refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { Reservation } from "@tollgate/ledger/ledger/Ledger"
import * as Effect from "effect/Effect"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Called } from "../../upstream/Called.ts"
import type { EndUncharged } from "../steps/15-settle.ts"

const everyMillis = 60_000

interface Warned {
  at: number
  /** Answers since then. */
  answers: number
}

const badGateway = 502

export const notOfItsProtocol = (): Refused =>
  refuse(
    "answer_not_metered",
    "The upstream did not answer as this operation does, so what the call cost is not known: the answer is not delivered, and nothing is charged. " +
      "Ask for no other format than the operation has; if you did not, tell the operator the request id."
  )

const refusedBy = ({ tried }: Called): Refused => {
  const refused = notOfItsProtocol()
  return tried === undefined ? refused : afterTrying(refused, tried)
}

/**
 * What cannot be metered is not delivered: the caller gets a refusal, and pays nothing. The log tells the operator, once a
 * minute for each operation and upstream. Of a create it stays unknown whether something was made.
 */
export const refuseUnmetered = (endUncharged: EndUncharged) => {
  const warned = new Map<string, Warned>()

  const warn = ({ operation: { id }, requestId }: Priced, { provider }: Called): Effect.Effect<void> =>
    Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const name = `${provider} ${id}`
      const last = warned.get(name)
      const answers = (last?.answers ?? 0) + 1
      if (last !== undefined && now >= last.at && now - last.at < everyMillis) {
        last.answers = answers
        return Effect.void
      }
      warned.set(name, { at: now, answers: 0 })
      const fields = { operation: id, provider, answers, requestId }
      return Effect.logWarning("an upstream's answer proves no cost and is not delivered", fields)
    })

  /** Ends a call whose answer proves no cost. It fails, always. */
  return (exchange: Priced, reservation: Reservation, called: Called): Effect.Effect<never, Refused> =>
    Effect.suspend(() => {
      const refused = refusedBy(called)
      const { provider, tried } = called
      const by = { provider, tried, error: refused.refusal }
      return warn(exchange, called).pipe(
        Effect.andThen(endUncharged(exchange, reservation, badGateway, by)),
        Effect.andThen(Effect.fail(refused))
      )
    })
}

export type RefuseUnmetered = ReturnType<typeof refuseUnmetered>
