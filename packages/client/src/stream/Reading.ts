import type { Outcome } from "@tollgate/contract/Outcome"

/** How far the reading of one stream has come. */
export interface Reading {
  readonly operation: string
  readonly requestId: string | undefined
  /** Handed to the caller. */
  events: number
  /** A `whole` answer lacks nothing, though more may come; of one that is `over` only the charge may. */
  state: "open" | "whole" | "over"
}

/** What each error of a stream says of it. */
export const progressOf = ({ events, operation, requestId }: Reading) => ({
  operation,
  ...(requestId === undefined ? {} : { requestId }),
  events,
  outcome: (events > 0 ? "executed" : "unknown") satisfies Outcome as Outcome
})
