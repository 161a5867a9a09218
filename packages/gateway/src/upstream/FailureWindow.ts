/** Of each account, so that one that calls more often does not count more. */
const countedCalls = 10
const leastFailures = 5
const halfMillis = 15_000

/** The latest calls of one account. The lowest bit is the last call's, and set if it failed. */
interface Tally {
  bits: number
  calls: number
  failures: number
}

/**
 * The last ten calls of each account that called within 15 to 30 seconds. It counts from the first failure on, so an
 * upstream that works costs nothing here.
 */
export class FailureWindow {
  #recent = new Map<string, Tally>()
  #earlier = new Map<string, Tally>()
  #startedAt = 0
  #calls = 0
  #failures = 0

  succeeded(account: string): void {
    if (this.#failures > 0) this.#add(account, 0)
  }

  failed(account: string, now: number): void {
    this.#forgetOld(now)
    this.#add(account, 1)
  }

  clear(): void {
    this.#recent.clear()
    this.#earlier.clear()
    this.#calls = 0
    this.#failures = 0
  }

  /** Whether several accounts called, and the failures are those of a single one. */
  get onlyOneOfSeveralFails(): boolean {
    let failing = 0
    for (const { failures } of this.#tallies()) if (failures > 0) failing++
    return failing === 1 && this.#recent.size + this.#earlier.size > 1
  }

  /**
   * Whether the upstream fails for several accounts: without any one of them, the others still have five failures, and no
   * fewer than successes. So nothing that a single account provokes makes this true.
   */
  get failsForSeveral(): boolean {
    if (!isFailing(this.#calls, this.#failures)) return false
    for (const { calls, failures } of this.#tallies()) {
      if (!isFailing(this.#calls - calls, this.#failures - failures)) return false
    }
    return true
  }

  *#tallies(): Generator<Tally> {
    yield* this.#recent.values()
    yield* this.#earlier.values()
  }

  #add(account: string, bit: 0 | 1): void {
    const tally = this.#tallyOf(account)
    if (tally.calls < countedCalls) {
      tally.calls++
      this.#calls++
    } else {
      const oldest = (tally.bits >> (countedCalls - 1)) & 1
      tally.failures -= oldest
      this.#failures -= oldest
    }
    tally.bits = ((tally.bits << 1) | bit) & ((1 << countedCalls) - 1)
    tally.failures += bit
    this.#failures += bit
  }

  #tallyOf(account: string): Tally {
    const recent = this.#recent.get(account)
    if (recent !== undefined) return recent
    const tally = this.#earlier.get(account) ?? { bits: 0, calls: 0, failures: 0 }
    this.#earlier.delete(account)
    this.#recent.set(account, tally)
    return tally
  }

  /** Forgets accounts that did not call in the current and the previous half of the window. */
  #forgetOld(now: number): void {
    const age = now - this.#startedAt
    // A negative age: the clock was set back.
    if (age >= 0 && age < halfMillis) return
    this.#startedAt = now
    if (age < 0 || age >= 2 * halfMillis) return this.clear()
    for (const { calls, failures } of this.#earlier.values()) {
      this.#calls -= calls
      this.#failures -= failures
    }
    this.#earlier = this.#recent
    this.#recent = new Map()
  }
}

const isFailing = (calls: number, failures: number): boolean => failures >= leastFailures && failures * 2 >= calls
