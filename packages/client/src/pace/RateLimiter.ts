import type { LimitGroup } from "@tollgate/contract/limits"
import { type Allowance, allowances } from "@tollgate/contract/Tier"
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { Bucket, type Limit, unlimited } from "./Bucket.ts"
import { type Claim, goneMillis, isPolled, type Pacing, type Permit } from "./Permit.ts"
import { ConcurrencyLimit } from "./ConcurrencyLimit.ts"

const { concurrency, rpm, tpm } = allowances.Free

/** Keeps one credential at one address within its limits, and queues the calls that have to wait. */
export class RateLimiter {
  // Before an answer has reported limits, calls start as on the lowest tier.
  readonly requests = new Bucket(rpm)
  readonly tokens = new Bucket(tpm)
  readonly concurrency = new ConcurrencyLimit(concurrency)
  /** Calls that wait or are in flight. */
  busy = 0
  usedAt = 0

  readonly #clock: Clock.Clock
  readonly #groups = new Map<string, Bucket>()
  /** In order of arrival. */
  readonly #waiting = new Set<Permit>()
  #configured: Pacing | undefined
  #timer: Fiber.Fiber<void> | undefined
  #wakeAt = Infinity

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  get now(): number {
    return this.#clock.currentTimeMillisUnsafe()
  }

  /** The strictest settings of all clients apply. */
  configure(pacing: Pacing): void {
    if (pacing === this.#configured) return
    this.#configured = pacing
    const believed: Partial<Allowance> = pacing.tier === undefined ? {} : allowances[pacing.tier]
    const limits = { rpm: this.requests, tpm: this.tokens, concurrency: this.concurrency }
    for (const name of ["rpm", "tpm", "concurrency"] as const) {
      const limit = limits[name]
      limit.maximum = Math.min(limit.maximum, pacing[name] ?? unlimited)
      if (limit.reported === unlimited) limit.reported = believed[name] ?? unlimited
    }
  }

  /** Grants the permit at once if no limit and no earlier call is in the way. */
  enqueue(claim: Claim, context: Context.Context<never>): Permit {
    const group = this.#group(claim.group)
    const needs: Array<readonly [Limit, number]> = [
      [this.requests, 1],
      [group, 1]
    ]
    if (claim.tokens !== undefined) needs.push([this.tokens, claim.tokens])
    if (claim.concurrent) needs.push([this.concurrency, 1])
    const permit: Permit = {
      claim,
      group,
      needs,
      lane: claim.group.id + needs.length,
      context,
      blockedBy: new Set(),
      seenAt: 0,
      state: "waiting",
      sentAt: 0,
      answeredBefore: [0, 0, 0],
      go: () => {}
    }
    this.busy++
    const now = (this.usedAt = permit.seenAt = this.now)
    if (this.#waiting.size === 0 && needs.every(([limit, units]) => limit.wait(units, now) === 0)) {
      this.#send(permit, now)
      return permit
    }
    this.#waiting.add(permit)
    this.dispatch()
    return permit
  }

  /** Milliseconds to wait even if all calls before return tokens and slots. Those in its lane use up requests. */
  wait(permit: Permit): number {
    const { claim, group, lane } = permit
    const { now, requests, tokens } = this
    let ahead = 0
    for (const other of this.#waiting) {
      if (other === permit) break
      if (other.lane === lane) ahead++
    }
    const ofTokens = claim.tokens === undefined ? 0 : tokens.wait(claim.tokens, now, tokens.ended - tokens.taken)
    return Math.max(requests.wait(1, now, ahead), group.wait(1, now, ahead), ofTokens)
  }

  /** The gateway has counted the request. */
  answered(permit: Permit): void {
    if (permit.state !== "sent") return
    permit.state = "answered"
    this.requests.answered++
    permit.group.answered++
    this.tokens.answered += permit.claim.tokens ?? 0
  }

  /** Returns the permit, granted or not. `whole`: the call has ended for the gateway as well. */
  end(permit: Permit, whole: boolean): void {
    const { claim, state } = permit
    if (state === "ended") return
    const { tokens = 0 } = claim
    if (state === "sent") {
      this.requests.unanswered(1)
      this.tokens.unanswered(tokens)
    }
    if (state !== "waiting") this.tokens.ended += tokens
    this.answered(permit)
    permit.state = "ended"
    this.#waiting.delete(permit)
    this.concurrency.give(permit, this.now, whole)
    this.busy--
    this.dispatch()
  }

  /** Whether the permit is granted, for a call that looks itself. */
  look(permit: Permit): boolean {
    permit.seenAt = this.now
    if (permit.state === "waiting") this.#waiting.add(permit)
    this.dispatch(permit)
    return permit.state !== "waiting"
  }

  /** Grants every permit that the limits allow, or only that of the call that looks. */
  dispatch(looking?: Permit): void {
    const now = (this.usedAt = this.now)
    if (this.#waiting.size === 0 && this.#timer === undefined) return
    if (isPolled && looking === undefined) return
    const gone: Array<Permit> = []
    const kept = new Set<Limit>()
    const lanes = new Set<string>()
    let soonest = Infinity
    let next: Permit | undefined
    for (const permit of this.#waiting) {
      if (lanes.has(permit.lane)) continue
      if (isPolled && now - permit.seenAt > goneMillis) {
        this.#waiting.delete(permit)
        continue
      }
      const { group, blockedBy, needs } = permit
      let longest = 0
      for (const [limit, units] of needs) {
        const wait = limit.wait(units, now)
        if (wait > 0) blockedBy.add(limit)
        longest = Math.max(longest, wait)
      }
      if (longest === 0 && !needs.some(([limit]) => kept.has(limit))) {
        if (looking === undefined || looking === permit) {
          this.#send(permit, now)
          gone.push(permit)
          continue
        }
        // Its turn, once it looks.
        for (const [limit] of needs) kept.add(limit)
      }
      lanes.add(permit.lane)
      if (longest > 0 && longest < soonest) {
        soonest = longest
        next = permit
      }
      // A call that its own group blocks does not hold up calls of other groups.
      for (const limit of group.wait(1, now) > 0 ? [group] : blockedBy) kept.add(limit)
    }
    if (!isPolled) this.#wake(now, soonest, next)
    // Last, because a resumed call may end and dispatch again.
    for (const permit of gone) permit.go()
  }

  #send(permit: Permit, now: number): void {
    this.#waiting.delete(permit)
    permit.state = "sent"
    permit.sentAt = now
    permit.answeredBefore = [this.requests.answered, permit.group.answered, this.tokens.answered]
    for (const [limit, units] of permit.needs) limit.take(units, now, permit)
  }

  /** One timer for all waiting calls, none if there are none. */
  #wake(now: number, millis: number, next: Permit | undefined): void {
    if (now + millis === this.#wakeAt) return
    this.#timer?.interruptUnsafe()
    this.#wakeAt = now + millis
    this.#timer =
      next &&
      Effect.runForkWith(next.context)(
        Effect.andThen(
          this.#clock.sleep(Duration.millis(millis)),
          Effect.sync(() => {
            this.#timer = undefined
            this.#wakeAt = Infinity
            this.dispatch()
          })
        )
      )
  }

  #group({ id, rpm }: LimitGroup): Bucket {
    let bucket = this.#groups.get(id)
    if (bucket === undefined) {
      this.#groups.set(id, (bucket = new Bucket()))
      if (typeof rpm === "number") bucket.reported = rpm
    }
    return bucket
  }
}
