import type { Outcome } from "@tollgate/contract/Outcome"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { progressOf } from "../events/Reading.ts"
import { failedOf, failureIn } from "./failed.ts"
import type { Begun, Ended } from "./Observer.ts"
import type { Failure } from "../call/Watch.ts"
import type { CallRecord } from "./CallRecord.ts"

/** The outcome of a call that was interrupted. */
const unseen = ({ attempts, reading }: CallRecord): Outcome => {
  if (attempts === 0) return "not executed"
  return reading === undefined ? "unknown" : progressOf(reading).outcome
}

/** The answer is complete. */
const isWhole = ({ answered, reading }: CallRecord): boolean =>
  answered || (reading !== undefined && reading.state !== "open")

const failureOf = ({ mode }: Begun, record: CallRecord, exit: Exit.Exit<unknown, unknown>): Failure | undefined => {
  if (record.failure !== undefined || isWhole(record) || Exit.isSuccess(exit)) return record.failure
  // Any other failure belongs to the reader of the stream.
  if (mode === "stream" && !Cause.hasInterruptsOnly(exit.cause)) return undefined
  return failureIn(exit.cause, unseen(record))
}

/** Drops ids and names that are too long to be one. */
const short = (text: string | undefined): string | undefined =>
  text !== undefined && text.length <= 128 ? text : undefined

export const endedOf = (begun: Begun, record: CallRecord, exit: Exit.Exit<unknown, unknown>, millis: number): Ended => {
  const { attempts, doubtful, quote, reading, replayed, usage } = record
  const failure = failureOf(begun, record, exit)
  const refused = failure?.outcome === "not executed"
  return {
    ...begun,
    result: failure !== undefined ? "failed" : isWhole(record) ? "success" : "left",
    failed: failure === undefined ? undefined : failedOf(failure),
    millis,
    attempts,
    status: record.status ?? failure?.status,
    requestId: short(record.requestId ?? failure?.requestId),
    charge: record.charge ?? failure?.charge ?? { state: refused ? "none" : "unknown" },
    replayed,
    recovered: replayed && doubtful,
    quote,
    responseModel: short(record.responseModel),
    usage,
    events: reading?.events
  }
}
