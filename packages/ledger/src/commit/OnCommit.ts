import * as Context from "effect/Context"

/** Is told what the ledger writes. */
export interface CommitListener {
  /** A group of so many commands was committed, or failed to be. */
  readonly committed: (commands: number, seconds: number, hasFailed: boolean) => void
  /** Entries of the journal were moved into the tables. */
  readonly checkpointed: (entries: number, seconds: number) => void
  /** Called once, by a ledger with a journal: how many entries it has at the moment. */
  readonly journalIs: (entries: () => number) => void
  /** Called once: how many calls wait for money at the moment. */
  readonly waitingIs: (calls: () => number) => void
}

/** Without a listener no time is taken. */
export const OnCommit = Context.Reference<CommitListener | undefined>("@tollgate/ledger/OnCommit", {
  defaultValue: () => undefined
})
