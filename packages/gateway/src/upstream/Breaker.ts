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
class FailureWindow {
  #recent = new Map<string, Tally>()
  #earlier = new Map<string, Tally>()
  #startedAt = 0
  #calls = 0
  #failures = 0

  /** Counts a call that did not fail, if others did. */
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

const unreachedToOpen = 5
const pauseMillis = 5_000
const maxPauseMillis = 60_000

/** `unreached`: no connection was made, which no caller can provoke. `failed`: anything after that. */
export type Failure = "unreached" | "failed"
/** `unhealthy`: health checks failed. */
export type Cause = Failure | "unhealthy"

const checksToOpen = 2

/** `until`: Unix milliseconds. */
type BreakerView =
  | { readonly state: "closed" }
  | { readonly state: "open"; readonly cause: Cause; readonly until: number }
  | { readonly state: "probing"; readonly cause: Cause }

/**
 * A circuit breaker: pauses an upstream that fails for several accounts, or to which no connection can be made. After the
 * pause one call at a time is let through, until one succeeds. While it is closed, a success reads no clock.
 */
export class Breaker {
  readonly #probeMillis: number
  readonly #window = new FailureWindow()
  #unreached = 0
  #state = 0
  /** Missing while closed. */
  #cause: Cause | undefined
  #failedChecks = 0
  #openings = 0
  #openUntil = 0
  #probeUntil = 0
  #prober: string | undefined
  #othersWait = false

  readonly #onChange: ((isUp: boolean) => void) | undefined
  /** Whether a success is still to be told: the first one too, because a gateway before this one may have told a failure. */
  #tellsSuccess: boolean

  /** A probe that has no result after `probeMillis` is given up. `onChange` is told when it opens, and when it is closed again. */
  constructor(probeMillis: number, onChange?: (isUp: boolean) => void) {
    this.#probeMillis = probeMillis
    this.#onChange = onChange
    this.#tellsSuccess = onChange !== undefined
  }

  get isClosed(): boolean {
    return this.#cause === undefined
  }

  /** What an operator is shown. `probing`: the pause is over, and one call at a time is let through. */
  view(now: number): BreakerView {
    const cause = this.#cause
    if (cause === undefined) return { state: "closed" }
    // After a longer time than the pause the clock was set back.
    const left = this.#openUntil - now
    const isPaused = left > 0 && left <= pauseOf(this.#openings)
    return isPaused ? { state: "open", cause, until: this.#openUntil } : { state: "probing", cause }
  }

  /** Changes when the breaker opens or closes, and with each probe. The result of a call from an earlier state is ignored. */
  get state(): number {
    return this.#state
  }

  /** Milliseconds until a call of the account may be sent as a probe. */
  wait(account: string, now: number): number {
    if (account !== this.#prober) this.#othersWait = true
    const ofProbe = this.#probeUntil - now
    if (ofProbe > 0 && ofProbe <= this.#probeMillis) return Math.min(ofProbe, pauseMillis)
    const pause = pauseOf(this.#openings)
    // An account whose probe failed lets the others go first.
    const isLast = account === this.#prober && this.#othersWait
    const left = this.#openUntil + (isLast ? pause : 0) - now
    // After a longer time than that the clock was set back.
    return left > 2 * pause ? 0 : Math.max(0, left)
  }

  /** The call that is sent now is the probe: all others wait for its result. */
  probe(account: string, now: number): void {
    this.#probeUntil = now + this.#probeMillis
    this.#prober = account
    this.#othersWait = false
    this.#state++
  }

  succeeded(state: number, account: string): void {
    if (state !== this.#state) return
    if (this.#cause !== undefined) return this.#close()
    this.#unreached = 0
    this.#window.succeeded(account)
    if (this.#tellsSuccess) this.#tellUp()
  }

  failed(state: number, account: string, failure: Failure, now: number): void {
    if (state !== this.#state) return
    if (this.#cause !== undefined) {
      // The upstream answers again. Whether it answers well is for several accounts to show.
      if (this.#cause === "unreached" && failure === "failed") return this.#close()
      return this.#open(this.#cause, now)
    }
    this.#window.failed(account, now)
    this.#unreached = failure === "unreached" ? this.#unreached + 1 : 0
    if (this.#unreached >= unreachedToOpen && !this.#window.onlyOneOfSeveralFails) this.#open("unreached", now)
    else if (this.#window.failsForSeveral) this.#open("failed", now)
  }

  /** The result of a health check. It says nothing about calls that fail although the upstream answers. */
  checked(isUp: boolean, now: number): void {
    this.#failedChecks = isUp ? 0 : this.#failedChecks + 1
    if (this.#cause === "failed") return
    if (this.#failedChecks >= checksToOpen) this.#open("unhealthy", now)
    else if (isUp && this.#cause !== undefined) this.#close()
  }

  /** The call ended without a result. If it was the probe, the next call is. */
  abandoned(state: number): void {
    if (state === this.#state) this.#probeUntil = 0
  }

  #open(cause: Cause, now: number): void {
    if (this.isClosed) this.#onChange?.(false)
    this.#cause = cause
    this.#openUntil = now + pauseOf(++this.#openings)
    this.#reset()
  }

  #close(): void {
    this.#cause = undefined
    this.#openings = 0
    this.#prober = undefined
    this.#reset()
    this.#tellUp()
  }

  #tellUp(): void {
    this.#tellsSuccess = false
    this.#onChange?.(true)
  }

  #reset(): void {
    this.#state++
    this.#probeUntil = 0
    this.#unreached = 0
    this.#window.clear()
  }
}

const pauseOf = (openings: number): number => Math.min(maxPauseMillis, pauseMillis * 2 ** (openings - 1))
