import { text } from "@tollgate/ledger/store/rows"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { bookedAs, type CardPayments } from "./CardPayments.ts"
import { day, hour, minute, type PaymentRows } from "./PaymentRows.ts"

/** Banks decide on a dispute within 90 days as a rule. */
const lookBackMillis = 100 * day

/**
 * Refunds and chargebacks whose events were lost: the provider is asked for all of them at the start, and then once an hour. If it does
 * not answer, it is asked again after a minute.
 */
export const make = ({ byIds, get, provider }: PaymentRows, { sync }: CardPayments) => {
  let nextAt = 0
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (provider === undefined || now < nextAt) return
    nextAt = now + minute
    const all = yield* provider.returnedSince(now - lookBackMillis)
    const ids = all.map(({ returned }) => bookedAs(returned))
    const entries = ids.length === 0 ? [] : yield* byIds("id", "entries", ids)
    const booked = new Set(entries.map((row) => text(row, "id")))
    const missing = all.filter(({ returned }) => !booked.has(bookedAs(returned))).map(({ payment }) => payment)
    const book = (id: string) => Effect.flatMap(get(id), sync)
    const [, failures] = yield* Effect.partition([...new Set(missing)], book, { concurrency: 10 })
    // Another gateway may take payments by the same provider.
    if (failures.every(({ reason }) => reason === "missing" || reason === "refused")) nextAt = now + hour
  }).pipe(Effect.ignore)
}
