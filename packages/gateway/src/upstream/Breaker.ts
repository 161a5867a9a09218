const failuresToOpen = 5
const openMillis = 5_000
const longestOpenMillis = 60_000

/**
 * Stops calling an upstream that keeps failing. After a while one call in five seconds goes out again, until one comes
 * back well. Effect's own circuit breaker takes eleven microseconds for a call; this one is asked in passing, and needs no
 * clock while all is well.
 */
export class Breaker {
  #failures = 0
  #openings = 0
  #openUntil = 0
  #state = 0

  get isClosed(): boolean {
    return this.#openUntil === 0
  }

  /** What is told of a call's end counts only if the breaker is still as it was when the call went out. */
  get state(): number {
    return this.#state
  }

  /** Milliseconds until a call may go out; 0: this one, and then none for a while. */
  wait(now: number): number {
    if (now < this.#openUntil) return this.#openUntil - now
    this.#openUntil = now + openMillis
    return 0
  }

  succeeded(state: number): void {
    if (state !== this.#state) return
    this.#failures = 0
    if (this.isClosed) return
    this.#openings = 0
    this.#openUntil = 0
    this.#state++
  }

  failed(state: number, now: number): void {
    if (state !== this.#state || (this.isClosed && ++this.#failures < failuresToOpen)) return
    this.#openUntil = now + Math.min(longestOpenMillis, openMillis * 2 ** this.#openings++)
    this.#failures = 0
    this.#state++
  }
}
