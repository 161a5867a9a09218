import { type Allowance, allowances, type LimitGroup } from "@tollgate/contract/Tier"
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { Bucket } from "./Bucket.ts"
import { type Limit, unlimited } from "./Limit.ts"
import type { Pacing } from "./Pacing.ts"
import { Places } from "./Places.ts"
import type { Claim, Turn } from "./Turn.ts"

/** What one credential has used of its limits at one address, and the calls that wait for their turn. */
export class Pace {
  readonly requests = new Bucket()
  readonly tokens = new Bucket()
  readonly places = new Places()
  /** Calls that wait or are under way. */
  busy = 0
  usedAt = 0

  readonly #clock: Clock.Clock
  readonly #groups = new Map<string, Bucket>()
  /** In the order they came. */
  readonly #waiting = new Set<Turn>()
  #heeded: Pacing | undefined
  #timer: Fiber.Fiber<void> | undefined
  #wakeAt = Infinity

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  get now(): number {
    return this.#clock.currentTimeMillisUnsafe()
  }

  /** Of several clients the strictest counts. */
  heed(pacing: Pacing): void {
    if (pacing === this.#heeded) return
    this.#heeded = pacing
    const believed: Partial<Allowance> = pacing.tier === undefined ? {} : allowances[pacing.tier]
    const limits = { rpm: this.requests, tpm: this.tokens, concurrency: this.places }
    for (const name of ["rpm", "tpm", "concurrency"] as const) {
      const limit = limits[name]
      limit.most = Math.min(limit.most, pacing[name] ?? unlimited)
      if (limit.told === unlimited) limit.told = believed[name] ?? unlimited
    }
  }

  /** Goes at once where nothing is in the way. */
  join(claim: Claim, context: Context.Context<never>): Turn {
    const group = this.#group(claim.group)
    const needs: Array<readonly [Limit, number]> = [
      [this.requests, 1],
      [group, 1]
    ]
    if (claim.tokens !== undefined) needs.push([this.tokens, claim.tokens])
    if (claim.concurrent) needs.push([this.places, 1])
    const turn: Turn = {
      claim,
      group,
      needs,
      lane: claim.group.id + needs.length,
      context,
      lacked: new Set(),
      state: "waiting",
      left: 0,
      before: [0, 0, 0],
      go: () => {}
    }
    this.busy++
    const now = (this.usedAt = this.now)
    if (this.#waiting.size === 0 && needs.every(([limit, units]) => limit.wait(units, now) === 0)) {
      this.#leave(turn, now)
      return turn
    }
    this.#waiting.add(turn)
    this.advance()
    return turn
  }

  /** Milliseconds until the turn at the least: those before it in its lane go first. */
  wait(turn: Turn): number {
    let count = 0
    let tokens = 0
    for (const { claim, lane } of this.#waiting) {
      if (lane !== turn.lane) continue
      count++
      tokens += claim.tokens ?? 0
    }
    const ahead = (limit: Limit, units: number) => (limit === this.tokens ? tokens : count) - units
    return Math.max(...turn.needs.map(([limit, units]) => limit.wait(units, this.now, ahead(limit, units))))
  }

  /** The gateway has seen the request. */
  answered(turn: Turn): void {
    if (turn.state !== "gone") return
    turn.state = "answered"
    this.requests.answered++
    turn.group.answered++
    this.tokens.answered += turn.claim.tokens ?? 0
  }

  /** Gives the turn back, whether it has come or not; `whole`, where it is over for the gateway too. */
  end(turn: Turn, whole: boolean): void {
    if (turn.state === "over") return
    this.answered(turn)
    turn.state = "over"
    this.#waiting.delete(turn)
    this.places.give(turn, this.now, whole)
    this.busy--
    this.advance()
  }

  /** Lets all go who can. */
  advance(): void {
    const now = (this.usedAt = this.now)
    if (this.#waiting.size === 0 && this.#timer === undefined) return
    const gone: Array<Turn> = []
    const kept = new Set<Limit>()
    const lanes = new Set<string>()
    let soonest = Infinity
    let next: Turn | undefined
    for (const turn of this.#waiting) {
      if (lanes.has(turn.lane)) continue
      const { group, lacked, needs } = turn
      let longest = 0
      for (const [limit, units] of needs) {
        const wait = limit.wait(units, now)
        if (wait > 0) lacked.add(limit)
        longest = Math.max(longest, wait)
      }
      if (longest === 0 && !needs.some(([limit]) => kept.has(limit))) {
        this.#leave(turn, now)
        gone.push(turn)
        continue
      }
      lanes.add(turn.lane)
      if (longest > 0 && longest < soonest) {
        soonest = longest
        next = turn
      }
      // While its own group is in the way, it keeps nothing from those of another.
      for (const limit of group.wait(1, now) > 0 ? [group] : lacked) kept.add(limit)
    }
    this.#wake(now, soonest, next)
    // Only now: one that goes may end and come here again.
    for (const turn of gone) turn.go()
  }

  #leave(turn: Turn, now: number): void {
    this.#waiting.delete(turn)
    turn.state = "gone"
    turn.left = now
    turn.before = [this.requests.answered, turn.group.answered, this.tokens.answered]
    for (const [limit, units] of turn.needs) limit.take(units, now, turn)
  }

  /** One timer for all who wait, and none where nobody does. */
  #wake(now: number, millis: number, next: Turn | undefined): void {
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
            this.advance()
          })
        )
      )
  }

  #group({ id, rpm }: LimitGroup): Bucket {
    const known = this.#groups.get(id)
    if (known !== undefined) return known
    const bucket = new Bucket()
    if (typeof rpm === "number") bucket.told = rpm
    this.#groups.set(id, bucket)
    return bucket
  }
}
