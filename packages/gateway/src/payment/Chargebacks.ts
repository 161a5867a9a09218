import { text } from "@tollgate/ledger/store/rows"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { bookedAs, type CardPayments } from "./CardPayments.ts"
import { day, eachOf, hour, type PaymentRows } from "./PaymentRows.ts"

/** Banks decide on a dispute within 90 days as a rule. */
const lookBackMillis = 100 * day

/** Refunds and chargebacks whose events were lost: the provider is asked for all of them at the start, and then once an hour. */
export const make = ({ byIds, get, provider }: PaymentRows, { sync }: CardPayments) => {
  let nextAt = 0
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (provider === undefined || now < nextAt) return
    nextAt = now + hour
    const all = yield* provider.returnedSince(now - lookBackMillis)
    const ids = all.map(({ returned }) => bookedAs(returned))
    const booked = new Set((yield* byIds("id", "entries", ids)).map((row) => text(row, "id")))
    const missing = all.filter(({ returned }) => !booked.has(bookedAs(returned))).map(({ payment }) => payment)
    yield* eachOf([...new Set(missing)], (id) => Effect.flatMap(get(id), sync))
  }).pipe(Effect.ignore)
}
