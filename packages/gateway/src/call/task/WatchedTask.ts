import type { TaskStatus } from "@tollgate/contract/Task"
import * as Context from "effect/Context"
import type { RunningTask } from "@tollgate/ledger/ledger/Task"

export interface WatchSettings {
  /** From the create to the first poll. Each interval is 1.5 times the one before, up to `maxMillis`. */
  readonly firstMillis: number
  readonly maxMillis: number
  /** Polls in flight to one upstream. */
  readonly concurrency: number
  /** How long an upstream may not know a task before the watcher gives up. */
  readonly notFoundMillis: number
  /** How long a task may run before the watcher gives up. What it cost stays unknown. */
  readonly giveUpMillis: number
  /** How long a finished task can be polled. */
  readonly keptMillis: number
}

export const WatchSettings = Context.Reference<WatchSettings>("@tollgate/gateway/WatchSettings", {
  defaultValue: () => ({
    firstMillis: 1_000,
    maxMillis: 5_000,
    concurrency: 32,
    notFoundMillis: 10 * 60_000,
    giveUpMillis: 24 * 3_600_000,
    keptMillis: 6 * 3_600_000
  })
})

/** How long the watcher still looks at a task that it gave up, and how often. If it has ended after all, it is settled. */
export const lookAgainMillis = 24 * 3_600_000
export const lookEveryMillis = 10 * 60_000

/** A caller's poll is answered from a result no older than this. */
const freshMillis = 1_000

const maxBackoffMillis = 60_000

/** A running task in memory: its last known status, and when to poll it next. */
export class WatchedTask {
  readonly task: RunningTask
  #status: TaskStatus
  #body: string
  #isFinished = false
  lastPolledAt: number
  /** Failed polls in a row. */
  failures = 0
  /** Since when the upstream does not know the task. */
  notFoundSince: number | undefined
  #polls = 0
  readonly #settings: WatchSettings

  constructor(task: RunningTask, settings: WatchSettings) {
    this.task = task
    this.#status = task.status
    this.#body = task.body
    this.lastPolledAt = task.createdAt
    this.#settings = settings
  }

  get body(): string {
    return this.#body
  }

  get isFinished(): boolean {
    return this.#isFinished
  }

  /** Returns whether the status changed. */
  update(status: TaskStatus, body: string): boolean {
    const changed = status !== this.#status
    this.#status = status
    this.#body = body
    return changed
  }

  finish(status: TaskStatus, body: string): void {
    this.update(status, body)
    this.#isFinished = true
  }

  /** Milliseconds to the watcher's next poll: not before `pauseMillis`, and not after the time to give up. */
  nextInterval(now: number, pauseMillis: number): number {
    this.#polls++
    return Math.max(1, Math.min(Math.max(this.#interval, pauseMillis), this.#givesUpAt - now))
  }

  isStale(now: number): boolean {
    return !this.#isFinished && now - this.lastPolledAt >= (this.failures === 0 ? freshMillis : this.backoff)
  }

  shouldGiveUp(now: number): boolean {
    return (
      now >= this.#givesUpAt ||
      (this.notFoundSince !== undefined && now - this.notFoundSince >= this.#settings.notFoundMillis)
    )
  }

  get backoff(): number {
    return Math.min(maxBackoffMillis, this.#settings.firstMillis * 2 ** this.failures)
  }

  get #interval(): number {
    const { firstMillis, maxMillis } = this.#settings
    return this.failures > 0 ? this.backoff : Math.min(maxMillis, Math.round(firstMillis * 1.5 ** this.#polls))
  }

  get #givesUpAt(): number {
    return this.task.createdAt + this.#settings.giveUpMillis
  }
}
