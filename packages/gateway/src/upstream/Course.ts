import type { Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Refused, TriedUpstream } from "@tollgate/contract/errors/Refused"
import type { Exit } from "effect/Exit"
import type { Decoded } from "../exchange/Exchange.ts"
import type { TraceContext } from "../observe/trace/TraceContext.ts"
import type { Endpoint } from "./Endpoint.ts"
import type { Provider } from "./Provider.ts"
import * as refusals from "./refusals.ts"

/** What came of trying an upstream. */
export type Outcome =
  | "answered"
  | "answer too large"
  | "broken off"
  | "busy"
  | "credential refused"
  | "failed at once"
  | "linked session refused"
  | "not allowed"
  | "not connected"
  | "not expressible"
  | "not written"
  | "paused"
  | "quota reached"
  | "rate limited"
  | "redirected"
  | "timed out"
  | "tool refused"
  | "unknown protocol"

/** One request to an upstream, as its listener sees it. Its place in a trace is sent on. */
export interface Attempt extends TraceContext {
  /** A stream goes on after that. */
  readonly carried: (exit: Exit<Incoming, NotCarried | Refused>) => void
}

export type OnAttempt = (exchange: Decoded, provider: Provider) => Attempt

/** What a call has tried before, and what it can try next. */
export interface Course {
  readonly endpoints: ReadonlyArray<Endpoint>
  /** The most helpful refusal so far. */
  readonly refused: Refused | undefined
  readonly tried: ReadonlyArray<TriedUpstream> | undefined
  /** Told of each request to an upstream. */
  readonly onAttempt: OnAttempt | undefined
}

/** All upstreams that were tried, with `endpoint` as the last. */
export const triedBy = (endpoint: Endpoint, { tried }: Course, outcome: Outcome): ReadonlyArray<TriedUpstream> => {
  const last = { upstream: endpoint.provider.name, outcome }
  return tried === undefined ? [last] : [...tried, last]
}

export const without = (endpoint: Endpoint, course: Course, refused: Refused, outcome: Outcome): Course => ({
  endpoints: course.endpoints.filter((other) => other !== endpoint),
  refused: course.refused === undefined ? refused : refusals.moreHelpful(course.refused, refused),
  tried: triedBy(endpoint, course, outcome),
  onAttempt: course.onAttempt
})
