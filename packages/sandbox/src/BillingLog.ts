import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Counts } from "./BilledAnswer.ts"

interface Bill {
  readonly operation: string
  readonly billed: Counts
}

export interface Entry extends Bill {
  readonly number: number
  /** The caller's `X-Request-ID`, if it sent one. */
  readonly requestId: string | undefined
}

/** What the sandbox has billed, for tests that compare it with the gateway's ledger. */
export class BillingLog extends Context.Service<
  BillingLog,
  {
    readonly record: (bill: Bill, requestId: string | undefined) => Effect.Effect<void>
    readonly entries: Effect.Effect<ReadonlyArray<Entry>>
    readonly count: Effect.Effect<number>
  }
>()("@tollgate/sandbox/BillingLog") {
  /** Keeps the last `most` entries; `count` counts all. */
  static readonly layerMemory = (most = 10_000): Layer.Layer<BillingLog> =>
    Layer.sync(BillingLog, () => {
      let entries: Array<Entry> = []
      let count = 0
      return {
        record: ({ billed, operation }, requestId) =>
          Effect.sync(() => {
            entries.push({ operation, billed, number: ++count, requestId })
            if (entries.length >= 2 * most) entries = entries.slice(-most)
          }),
        entries: Effect.sync(() => entries.slice(-most)),
        count: Effect.sync(() => count)
      }
    })
}
