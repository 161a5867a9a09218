import { formatUsd, zero, nano, type NanoUsd } from "@tollgate/contract/Money"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Room } from "./answer.ts"
import { amountOf, type BatchUse } from "./inputs.ts"
import { asksForStructure, type Caller, type CallMessage, silent } from "./Caller.ts"
import { prepare, type Prepared } from "./prepare.ts"
import { invalidAmount, overTotal, totalRequired } from "./refusal.ts"
import type { Batch, ToolError, Used } from "./shapes.ts"
import { availableSpending } from "./left.ts"
import { refuse, use } from "./use.ts"

/** What several calls may cost together. Each call's cap is taken before it starts. */
export class Total {
  #left: NanoUsd
  /** What is known to have been charged. */
  charged: NanoUsd = zero
  /** What calls with an open or unknown end may still be charged. */
  held: NanoUsd = zero

  constructor(most: NanoUsd) {
    this.#left = most
  }

  /** Takes a call's cap. Returns false if not enough is left. */
  take(cap: NanoUsd): boolean {
    if (cap > this.#left) return false
    this.#left = nano(this.#left - cap)
    return true
  }

  /** Gives back what the call was not charged. One whose charge is not known keeps its cap. */
  end(cap: NanoUsd, charged: NanoUsd | undefined): void {
    if (charged === undefined) {
      this.held = nano(this.held + cap)
      return
    }
    this.charged = nano(this.charged + charged)
    this.#left = nano(this.#left + cap - charged)
  }
}

/** How many calls of a batch run at a time. */
const concurrency = 5

/** The result of a batch whose calls are not known. */
const noCalls: Batch = { results: [], succeeded: 0, failed: 0, charged_usd: "0", held_usd: "0" }

const nothingRan = (calls: BatchUse["calls"], error: ToolError): Batch => ({
  ...noCalls,
  results: calls.map(({ operation_id }) => ({ operation_id, error })),
  failed: calls.length,
  error
})

/**
 * Makes several calls, a few at a time and in their order. A call starts when its cap can be taken from the total; if not
 * enough is left, it waits for the calls that run, and is refused when none runs.
 */
export const batch = Effect.fnUntraced(function* (
  caller: Caller,
  { calls, max_total_usd }: BatchUse,
  { metadata, progress }: CallMessage
): Effect.fn.Return<Batch> {
  const prepared = yield* Effect.forEach(calls, (call) => Effect.result(prepare(caller, call)))
  const most = max_total_usd === undefined ? zero : amountOf(max_total_usd)
  if (most === undefined) return nothingRan(calls, invalidAmount("max_total_usd"))
  const canCost = prepared.some((one) => Result.isSuccess(one) && (one.success.terms.cap ?? zero) > 0n)
  if (max_total_usd === undefined && canCost) return nothingRan(calls, totalRequired)

  const total = new Total(most)
  const room = new Room(asksForStructure(metadata))
  const results = new Map<number, Used>()
  let running = 0
  let oneEnded = Deferred.makeUnsafe<void>()

  const done = (index: number, used: Used) => {
    results.set(index, used)
    return progress.report(results.size, `${results.size} of ${calls.length} calls ended`, calls.length)
  }
  const start = Effect.fnUntraced(function* (index: number, call: Prepared) {
    const cap = call.terms.cap ?? zero
    const { charged, used } = yield* use(caller, call, silent, undefined, room)
    total.end(cap, charged)
    const report = done(index, used)
    running--
    const waiting = oneEnded
    oneEnded = Deferred.makeUnsafe()
    Deferred.doneUnsafe(waiting, Effect.void)
    yield* report
  })
  const begin = Effect.fnUntraced(function* (index: number, call: Prepared) {
    for (;;) {
      if (running < concurrency && total.take(call.terms.cap ?? zero)) break
      if (running === 0) return yield* done(index, { operation_id: call.call.operation.id, error: overTotal })
      yield* Deferred.await(oneEnded)
    }
    running++
    yield* Effect.forkChild(caller.calls.track(start(index, call)), { startImmediately: true })
  })

  for (const [index, call] of prepared.entries()) {
    if (Result.isSuccess(call)) yield* begin(index, call.success)
    else yield* done(index, yield* refuse(caller, calls[index]?.operation_id ?? "", call.failure))
  }
  while (running > 0) yield* Deferred.await(oneEnded)

  const ordered = calls.map(({ operation_id }, index): Used => results.get(index) ?? { operation_id })
  const left = yield* availableSpending(caller, total.charged / 1_000n)
  const failed = ordered.filter(({ error }) => error !== undefined).length
  return {
    results: ordered,
    succeeded: calls.length - failed,
    failed,
    charged_usd: formatUsd(total.charged),
    held_usd: formatUsd(total.held),
    left
  }
})
