import { type Amount, amountOf } from "@tollgate/contract/account/Amount"
import type { Difference } from "../ledger/Difference.ts"
import type { LedgerEvent } from "../ledger/LedgerEvent.ts"

/** What operators are told: what the ledger decided, and what the gateway learned of its upstreams and books. */
export type Event =
  | LedgerEvent
  | { readonly type: "upstream.down" | "upstream.up"; readonly at: number; readonly upstream: string }
  | { readonly type: "audit.difference"; readonly at: number; readonly differences: ReadonlyArray<Difference> }
  | { readonly type: "test"; readonly at: number }

/** An audit of broken books can find millions. */
const maxDifferences = 10

const shown = (value: bigint | string | null): Amount | null => (typeof value === "bigint" ? amountOf(value) : value)

const dataOf = (event: Event): Readonly<Record<string, unknown>> => {
  switch (event.type) {
    case "balance.low":
      return {
        account: event.account,
        balance_micros_usd: amountOf(event.balance),
        threshold_micros_usd: amountOf(event.threshold)
      }
    case "budget.reached":
      return {
        account: event.account,
        key: event.key,
        percent: event.percent,
        spent_micros_usd: amountOf(event.spent),
        budget_micros_usd: amountOf(event.budget)
      }
    case "call.unknown":
      return {
        account: event.account,
        key: event.key,
        request_id: event.call,
        operation: event.operation,
        upstream: event.upstream ?? null,
        reserved_micros_usd: amountOf(event.reserved)
      }
    case "upstream.down":
    case "upstream.up":
      return { upstream: event.upstream }
    case "audit.difference":
      return {
        count: event.differences.length,
        differences: event.differences
          .slice(0, maxDifferences)
          .map(({ expected, stored, ...where }) => ({ ...where, stored: shown(stored), expected: shown(expected) }))
      }
    case "test":
      return {}
  }
}

/** The body that is signed and sent. It holds ids and amounts only. */
export const bodyOf = (event: Event): string =>
  JSON.stringify({ type: event.type, timestamp: new Date(event.at).toISOString(), data: dataOf(event) })

/** What an endpoint can ask for. */
export const eventTypes = [
  "balance.low",
  "budget.reached",
  "upstream.down",
  "upstream.up",
  "audit.difference",
  "call.unknown"
] as const

export type EventType = (typeof eventTypes)[number]
