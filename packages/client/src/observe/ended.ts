import type { Outcome } from "@tollgate/contract/Outcome"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { progressOf } from "../stream/Reading.ts"
import { failedOf, failureIn } from "./failed.ts"
import type { Begun, Ended } from "./Observer.ts"
import type { Failure } from "./Watch.ts"
import type { Seen } from "./watching.ts"

/** What is known of a call that was given up. */
const unseen = ({ attempts, reading }: Seen): Outcome => {
  if (attempts === 0) return "not executed"
  return reading === undefined ? "unknown" : progressOf(reading).outcome
}

/** Nothing of the answer is missing. */
const isWhole = ({ answered, reading }: Seen): boolean =>
  answered || (reading !== undefined && reading.state !== "open")

const failureOf = ({ mode }: Begun, seen: Seen, exit: Exit.Exit<unknown, unknown>): Failure | undefined => {
  if (seen.failure !== undefined || isWhole(seen) || Exit.isSuccess(exit)) return seen.failure
  // What else a stream ends by is its reader's own.
  if (mode === "stream" && !Cause.hasInterruptsOnly(exit.cause)) return undefined
  return failureIn(exit.cause, unseen(seen))
}

/** No amount of text is taken for an id or a name. */
const short = (text: string | undefined): string | undefined =>
  text !== undefined && text.length <= 128 ? text : undefined

export const endedOf = (begun: Begun, seen: Seen, exit: Exit.Exit<unknown, unknown>, millis: number): Ended => {
  const { attempts, quote, reading, replayed, usage } = seen
  const failure = failureOf(begun, seen, exit)
  const refused = failure?.outcome === "not executed"
  return {
    ...begun,
    result: failure !== undefined ? "failed" : isWhole(seen) ? "success" : "left",
    failed: failure === undefined ? undefined : failedOf(failure),
    millis,
    attempts,
    status: seen.status ?? failure?.status,
    requestId: short(seen.requestId ?? failure?.requestId),
    charge: seen.charge ?? failure?.charge ?? { state: refused ? "none" : "unknown" },
    replayed,
    quote,
    responseModel: short(seen.responseModel),
    usage,
    events: reading?.events
  }
}
