import { polling } from "@tollgate/contract/Task"

/** Two may come at once, for a clock that is not even; over time there are no more than two in a second. */
const slackMillis = polling.floorMillis
const most = 10_000

/** How often each task is polled, by whom. Of very many, the oldest is forgotten. */
export class Pace {
  /** When the next poll would be on time. */
  readonly #next = new Map<string, number>()

  /** Milliseconds to wait; 0: this poll may pass. */
  wait(id: string, now: number): number {
    const next = Math.max(now, this.#next.get(id) ?? 0)
    if (next - now > slackMillis) return next - now - slackMillis
    this.#next.delete(id)
    this.#next.set(id, next + polling.floorMillis)
    for (const [oldest, due] of this.#next) {
      if (due > now && this.#next.size <= most) break
      this.#next.delete(oldest)
    }
    return 0
  }
}
