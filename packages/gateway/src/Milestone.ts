import * as Context from "effect/Context"

/** Places on a call's path where a crash would hurt most. */
export type Milestone = "committing" | "committed" | "reserved" | "called" | "settled"

/** Told when one is reached: a test ends the process there. */
export const OnMilestone = Context.Reference<(milestone: Milestone) => void>("@tollgate/gateway/OnMilestone", {
  defaultValue: () => () => {}
})
