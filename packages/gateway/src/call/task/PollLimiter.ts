import { polling } from "@tollgate/contract/Task"

/** Allows a burst of two polls, for callers with an uneven clock. The average stays at two per second. */
const burstMillis = polling.floorMillis
const maxEntries = 10_000

/** Limits how often a caller polls a task. Forgets the oldest entries beyond `maxEntries`. */
export class PollLimiter {
  /** When the next poll of each id is due. */
  readonly #due = new Map<string, number>()

  /** Milliseconds to wait; 0: this poll is allowed, and counted. */
  wait(id: string, now: number): number {
    const due = Math.max(now, this.#due.get(id) ?? 0)
    if (due - now > burstMillis) return due - now - burstMillis
    this.#due.delete(id)
    this.#due.set(id, due + polling.floorMillis)
    for (const [oldest, oldestDue] of this.#due) {
      if (oldestDue > now && this.#due.size <= maxEntries) break
      this.#due.delete(oldest)
    }
    return 0
  }
}
