import { micro } from "@tollgate/contract/Money"
import { upToCap } from "./capped.ts"
import type { Applied, Transition } from "./Transition.ts"
import type { Usage } from "./UsageTotals.ts"

const none = micro(0n)

/** Answered with 4xx or 5xx, ended unknown, or reported as failed in spite of its status. */
export const isFailed = (transition: Transition): boolean => {
  switch (transition.kind) {
    case "settle":
      return transition.settled.failed === true || transition.settled.answer.status >= 400
    case "release":
      return transition.failed === true || transition.status >= 400
    case "mark_unknown":
      return true
    case "begin":
    case "refuse":
    case "replay":
      return false
  }
}

/**
 * What a transition adds to the usage totals. A call is counted once, at its first end: if it was unknown and ends again,
 * that count is corrected, and if it goes on as a task, it is taken back.
 */
export const usageOf = ({ after, before, transition }: Applied): ReadonlyArray<Usage> => {
  const { kind, now, reservation } = transition
  const isCounted = before.endedAt !== undefined
  if (kind === "refuse" || (kind === "begin" && !isCounted)) return []
  const settled = kind === "settle" ? transition.settled : undefined
  return [
    {
      account: reservation.account,
      key: reservation.key,
      at: after.endedAt ?? before.endedAt ?? now,
      operation: after.operation,
      model: after.model ?? "",
      tags: after.tags,
      requests: kind === "begin" ? -1n : isCounted ? 0n : 1n,
      failed_requests: (isFailed(transition) ? 1n : 0n) - (isCounted ? 1n : 0n),
      input_tokens: BigInt(settled?.usage.input ?? 0),
      output_tokens: BigInt(settled?.usage.output ?? 0),
      cache_read_tokens: BigInt(settled?.usage.cacheRead ?? 0),
      cache_write_tokens: BigInt(settled?.usage.cacheWrite ?? 0),
      value: settled?.settlement.value ?? none,
      charged: settled === undefined ? none : upToCap(settled.settlement.charged, reservation.cap),
      upstream: after.upstream,
      cost: settled?.cost
    }
  ]
}
