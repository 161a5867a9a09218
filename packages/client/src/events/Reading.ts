import type { Outcome } from "@tollgate/contract/Outcome"
import type { Hide } from "../credential/hideCredential.ts"

/** The progress of reading one stream. */
export interface Reading {
  readonly operation: string
  readonly requestId: string | undefined
  readonly hide: Hide
  /** Passed to the caller so far. */
  events: number
  /** `whole`: complete, but more may follow. `over`: only the charge may follow. */
  state: "open" | "whole" | "over"
}

/** The fields of every stream error. */
export const progressOf = ({ events, hide, operation, requestId }: Reading) => ({
  operation,
  ...(requestId === undefined ? {} : { requestId: hide(requestId) }),
  events,
  outcome: (events > 0 ? "executed" : "unknown") satisfies Outcome as Outcome
})

/** How to learn what a stream cost that did not reach its charge. */
export const askCost = (requestId: string | undefined): string =>
  `it may be charged${requestId === undefined ? "" : ": `charge` tells by its requestId what it cost"}`
