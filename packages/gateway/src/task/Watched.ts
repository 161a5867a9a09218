import type { TaskStatus } from "@tollgate/contract/Task"
import type * as Deferred from "effect/Deferred"
import type { Running } from "./Task.ts"
import type { WatchOptions } from "./Watching.ts"

/** A poll is answered by a look that is no older than this, and waits no longer than this for a new one. */
const freshMillis = 1_000
export const patienceMillis = 2_000

/** Between two looks, where the upstream fails. */
const farthestMillis = 60_000

/** A task that is looked after, and what was last seen of it. */
export class Watched {
  readonly task: Running
  #status: TaskStatus
  #body: string
  #over = false
  lookedAt: number
  /** Looks since the last one that told anything. */
  failures = 0
  /** Since when the upstream does not know it. */
  lostAt: number | undefined
  /** Set while somebody looks, or ends it. */
  busy: Deferred.Deferred<void> | undefined
  #turns = 0
  readonly #options: WatchOptions

  constructor(task: Running, options: WatchOptions) {
    this.task = task
    this.#status = task.status
    this.#body = task.body
    this.lookedAt = task.createdAt
    this.#options = options
  }

  get body(): string {
    return this.#body
  }

  get isOver(): boolean {
    return this.#over
  }

  /** Says whether it is in another state than before. */
  note(status: TaskStatus, body: string): boolean {
    const changed = status !== this.#status
    this.#status = status
    this.#body = body
    return changed
  }

  end(status: TaskStatus, body: string): void {
    this.note(status, body)
    this.#over = true
  }

  /** Milliseconds to the next look of the watcher's own, which is not before the pause is over. */
  turn(now: number, pause: number): number {
    this.#turns++
    return Math.max(1, Math.min(Math.max(this.#interval, pause), this.#givenUpAt - now))
  }

  isStale(now: number): boolean {
    return !this.#over && now - this.lookedAt >= (this.failures === 0 ? freshMillis : this.backoff)
  }

  /** Nothing more is to be expected of it. */
  isHopeless(now: number): boolean {
    return now >= this.#givenUpAt || (this.lostAt !== undefined && now - this.lostAt >= this.#options.lostMillis)
  }

  get backoff(): number {
    return Math.min(farthestMillis, this.#options.firstMillis * 2 ** this.failures)
  }

  get #interval(): number {
    const { firstMillis, mostMillis } = this.#options
    return this.failures > 0 ? this.backoff : Math.min(mostMillis, Math.round(firstMillis * 1.5 ** this.#turns))
  }

  get #givenUpAt(): number {
    return this.task.createdAt + this.#options.giveUpMillis
  }
}
