import type { Short } from "./Balance.ts"

/** A call that waits for money that other calls have reserved. */
export class Waiter {
  readonly key: string
  readonly amount: bigint
  readonly since: number
  /** Whose money it lacked when it was last tried. */
  lacks: Short["of"] | undefined

  constructor(key: string, amount: bigint, since: number) {
    this.key = key
    this.amount = amount
    this.since = since
  }
}

/** The most calls that are tried together, once all that were tried before got their money. */
const mostAtOnce = 32

const isAtLeast = (amount: bigint, refused: bigint | undefined): boolean => refused !== undefined && amount >= refused

const smaller = (one: bigint, other: bigint | undefined): bigint => (other !== undefined && other < one ? other : one)

/**
 * The waiting calls of one account, and who is tried next: the keys take turns, and within a key the first comes first. A
 * call that does not fit is passed by those that do, for half of the longest wait. After that nobody behind it is tried: it
 * is `due`. One that leaves all the same, without its money, lets the others pass for as long as it held them up, so that no
 * key can shut out the others.
 */
export class Line<A extends Waiter> {
  /** Each with its calls in the order they came. The key whose turn is next stands first. */
  readonly #keys = new Map<string, Array<A>>()
  readonly #dueMillis: number
  #size = 0
  /** The smallest amounts that were refused since money was last set free: no larger one needs to be tried. */
  #tooMuch: bigint | undefined
  readonly #tooMuchOfKey = new Map<string, bigint>()
  /** The call that holds up the others, and since when. */
  #holder: A | undefined
  #heldSince = 0
  #openUntil = -Infinity
  #atOnce = 1

  constructor(longestMillis: number) {
    this.#dueMillis = longestMillis / 2
  }

  get size(): number {
    return this.#size
  }

  add(waiter: A): void {
    const waiters = this.#keys.get(waiter.key)
    if (waiters === undefined) this.#keys.set(waiter.key, [waiter])
    else waiters.push(waiter)
    this.#size++
  }

  /** All of them, whoever is next. */
  all(): ReadonlyArray<A> {
    return [...this.#keys.values()].flat()
  }

  /** Of the key that has most calls here: its last one that passes, if that key has more than `key` would have with another. */
  lastOfMost(key: string, isFit: (waiter: A) => boolean): A | undefined {
    let most: ReadonlyArray<A> = this.#keys.get(key) ?? []
    const least = most.length + 2
    for (const waiters of this.#keys.values()) if (waiters.length > most.length) most = waiters
    return most.length >= least ? most.findLast(isFit) : undefined
  }

  /** Money was set free, or may have been. */
  freed(): void {
    this.#tooMuch = undefined
    this.#tooMuchOfKey.clear()
  }

  /** The calls to try now, in this order. None: all wait until money is set free. */
  next(now: number): ReadonlyArray<A> {
    const found: Array<A> = []
    const closed = new Set<string>()
    const isOpen = now < this.#openUntil
    for (let round = 0, left = this.#size; left > 0; round++) {
      for (const [key, waiters] of this.#keys) {
        const waiter = waiters[round]
        if (waiter === undefined) continue
        left--
        if (closed.has(key)) continue
        const isDue = now - waiter.since >= this.#dueMillis
        const mayFit = this.#mayFit(waiter)
        if (mayFit && found.push(waiter) === this.#atOnce) return found
        if (!isDue) continue
        if (waiter.lacks === "key") closed.add(key)
        else if (waiter.lacks === "account" && !isOpen) {
          if (!mayFit) this.#heldBy(waiter, now)
          return found
        }
      }
    }
    return found
  }

  /** It has its money, or is refused for good: in both cases it is its key's turn no longer. */
  ended(waiter: A): void {
    if (waiter === this.#holder) this.#holder = undefined
    const waiters = this.#take(waiter)
    if (waiters === undefined || waiters.length === 0) return
    this.#keys.delete(waiter.key)
    this.#keys.set(waiter.key, waiters)
  }

  /** It lacks money. `isNews`: nothing was set free since it was tried. */
  lacked(waiter: A, of: Short["of"], isNews: boolean): void {
    this.#atOnce = 1
    waiter.lacks = of
    if (!isNews) return
    if (of === "account") this.#tooMuch = smaller(waiter.amount, this.#tooMuch)
    else this.#tooMuchOfKey.set(waiter.key, smaller(waiter.amount, this.#tooMuchOfKey.get(waiter.key)))
  }

  /** All that were tried together got their money. */
  allFit(): void {
    this.#atOnce = Math.min(this.#atOnce * 2, mostAtOnce)
  }

  /** It waits no longer. */
  left(waiter: A, now: number): void {
    if (waiter === this.#holder) {
      this.#holder = undefined
      this.#openUntil = now + (now - this.#heldSince)
    }
    this.#take(waiter)
  }

  #take(waiter: A): Array<A> | undefined {
    const waiters = this.#keys.get(waiter.key)
    const at = waiters?.indexOf(waiter) ?? -1
    if (waiters === undefined || at === -1) return undefined
    waiters.splice(at, 1)
    if (waiters.length === 0) this.#keys.delete(waiter.key)
    this.#size--
    return waiters
  }

  #mayFit(waiter: A): boolean {
    if (isAtLeast(waiter.amount, this.#tooMuchOfKey.get(waiter.key))) {
      waiter.lacks = "key"
      return false
    }
    if (!isAtLeast(waiter.amount, this.#tooMuch)) return true
    waiter.lacks = "account"
    return false
  }

  #heldBy(waiter: A, now: number): void {
    if (this.#holder === waiter) return
    this.#holder = waiter
    this.#heldSince = now
  }
}
