import type { Clock } from "effect/Clock"

/** After that a target is tried first again, by one call. */
const forgottenMillis = 60_000
/** What a failure counts as. */
const failedMillis = 600_000
/** The share of the latest call in the average. */
const latest = 0.2

/** Told the status of the answer that begins. `undefined`: there is none. */
export type Timed = (status: number | undefined) => void

/** How soon a target begins to answer, as moving averages: of whole answers, and of the first events of streams. */
export class Speed {
  readonly #averages = new Map<boolean, { readonly millis: number; readonly at: number }>()

  /** Milliseconds to expect. Zero: that was not measured lately. */
  expected(isStream: boolean, now: number): number {
    const { at, millis } = this.#averages.get(isStream) ?? { at: -Infinity, millis: 0 }
    // It is later than now if the clock was set back.
    return at <= now && now < at + forgottenMillis ? millis : 0
  }

  /** A call is sent now. Until it is answered, others do not take its target for unmeasured. */
  begin(isStream: boolean, clock: Clock): Timed {
    const at = clock.currentTimeMillisUnsafe()
    const before = this.#averages.get(isStream)?.millis ?? failedMillis
    this.#averages.set(isStream, { millis: before, at })
    return (status = 500) => {
      const isRefused = status === 429 || status === 401 || status === 403
      // It says something about the request only.
      if (status >= 400 && status < 500 && !isRefused) return
      const now = clock.currentTimeMillisUnsafe()
      const known = this.#averages.get(isStream)?.millis ?? failedMillis
      const answered = known === failedMillis ? now - at : known + (now - at - known) * latest
      this.#averages.set(isStream, { millis: status >= 400 ? failedMillis : answered, at: now })
    }
  }
}
