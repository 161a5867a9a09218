import * as Context from "effect/Context"

/** Points on a call's path at which the crash tests end the process. */
export type Milestone = "approved" | "committing" | "committed" | "reserved" | "called" | "settled"

/** Called when a milestone is reached. */
export const OnMilestone = Context.Reference<(milestone: Milestone) => void>("@tollgate/ledger/OnMilestone", {
  defaultValue: () => () => {}
})
