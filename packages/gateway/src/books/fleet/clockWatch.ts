import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** More than a busy machine needs to read the store's time. */
const mostMillis = 30_000

/**
 * Warns once if this machine's clock is wrong by the store's. Quotas, the lives of idempotency keys and what is deleted go by
 * the machine's.
 */
export const makeClockWatch = () => {
  let isWrong = false
  return (storeMillis: number): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const seconds = Math.round((now - storeMillis) / 1_000)
      const wasWrong = isWrong
      isWrong = Math.abs(now - storeMillis) > mostMillis
      return isWrong && !wasWrong
        ? Effect.logWarning("the clock of this machine differs from that of PostgreSQL; set it", { seconds })
        : Effect.void
    })
}
