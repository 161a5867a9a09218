import type { CommitListener } from "@tollgate/ledger/commit/OnCommit"
import { counter, type Family, gauge, Histogram, single, type Snapshot } from "./Family.ts"

/** Seconds. */
const commitBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const groupBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000]

/** What the ledger writes, in which groups, and how long it takes. */
export class CommitMetrics implements CommitListener {
  readonly #groups = new Histogram(groupBounds)
  readonly #commits = new Histogram(commitBounds)
  readonly #checkpoints = new Histogram(commitBounds)
  #failures = 0
  #moved = 0
  #journal: (() => number) | undefined
  #waiting: () => number = () => 0

  readonly committed = (commands: number, seconds: number, hasFailed: boolean): void => {
    this.#groups.observe(commands)
    this.#commits.observe(seconds)
    if (hasFailed) this.#failures++
  }

  readonly checkpointed = (entries: number, seconds: number): void => {
    this.#moved += entries
    this.#checkpoints.observe(seconds)
  }

  readonly journalIs = (entries: () => number): void => {
    this.#journal = entries
  }

  readonly waitingIs = (calls: () => number): void => {
    this.#waiting = calls
  }

  snapshot(): Snapshot {
    return [
      gauge("tollgate_calls_waiting", "Calls that wait for money that others have reserved.", single(this.#waiting())),
      this.#groups.family("tollgate_ledger_group_size", "Commands that were committed together."),
      this.#commits.family("tollgate_ledger_commit_duration_seconds", "Time of a commit of the ledger."),
      counter(
        "tollgate_ledger_commit_failures_total",
        "Commits of the ledger that failed and are retried.",
        single(this.#failures)
      ),
      ...(this.#journal === undefined ? [] : this.#journalFamilies(this.#journal()))
    ]
  }

  #journalFamilies(entries: number): ReadonlyArray<Family> {
    return [
      gauge("tollgate_journal_entries", "Entries of the journal that wait for a checkpoint.", single(entries)),
      counter(
        "tollgate_journal_moved_total",
        "Entries of the journal that a checkpoint moved into the tables.",
        single(this.#moved)
      ),
      this.#checkpoints.family("tollgate_journal_checkpoint_duration_seconds", "Time of a checkpoint of the journal.")
    ]
  }
}
