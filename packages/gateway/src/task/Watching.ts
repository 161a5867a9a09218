import * as Context from "effect/Context"

export interface WatchOptions {
  /** From the acceptance of a task to the first look at it; each look is half as long again after the last. */
  readonly firstMillis: number
  readonly mostMillis: number
  /** Looks under way at one upstream. */
  readonly concurrency: number
  /** How long an upstream may not know a task that it had accepted. */
  readonly lostMillis: number
  /** A task that has not ended after this time is looked at no more: what it cost is not known. */
  readonly giveUpMillis: number
  /** How long a task is known after its end. */
  readonly keptMillis: number
}

export const Watching = Context.Reference<WatchOptions>("@tollgate/gateway/Watching", {
  defaultValue: () => ({
    firstMillis: 1_000,
    mostMillis: 5_000,
    concurrency: 32,
    lostMillis: 10 * 60_000,
    giveUpMillis: 24 * 3_600_000,
    keptMillis: 6 * 3_600_000
  })
})
