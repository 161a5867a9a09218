import type { TraceContext } from "./TraceContext.ts"

export interface Sampling {
  /** The share of traces that begin here and are recorded, 0 to 1. */
  readonly ratio: number
  /** Whether a caller's decision counts. */
  readonly followsCallers: boolean
  /** How many traces a second may be recorded because their callers want it. */
  readonly callersPerSecond: number
}

/**
 * Decides which traces are recorded. Callers choose their trace ids and flags freely. So chance decides, not the trace id, and
 * what callers ask for is limited: above the limit their traces are chosen as if they had begun here.
 */
export class Sampler {
  readonly #sampling: Sampling
  readonly #random: () => number
  #allowance: number
  #refilledAt = -Infinity

  constructor(sampling: Sampling, random: () => number) {
    this.#sampling = sampling
    this.#random = random
    this.#allowance = sampling.callersPerSecond
  }

  records(caller: TraceContext | undefined, nowMillis: number): boolean {
    const { followsCallers, ratio } = this.#sampling
    if (followsCallers && caller !== undefined) {
      if (!caller.sampled) return false
      if (this.#takeAllowance(nowMillis)) return true
    }
    return ratio >= 1 || (ratio > 0 && this.#random() < ratio)
  }

  #takeAllowance(now: number): boolean {
    const { callersPerSecond: most } = this.#sampling
    const passed = Math.max(0, now - this.#refilledAt)
    this.#allowance = Math.min(most, this.#allowance + (passed / 1_000) * most)
    this.#refilledAt = now
    if (this.#allowance < 1) return false
    this.#allowance--
    return true
  }
}
