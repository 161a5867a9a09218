import type { TriedUpstream } from "@tollgate/contract/account/LoggedCall"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { Endpoint } from "./Endpoint.ts"
import * as refusals from "./refusals.ts"

/** What came of trying an upstream. */
export type Outcome =
  | "answered"
  | "answer too large"
  | "broken off"
  | "busy"
  | "credential refused"
  | "linked session refused"
  | "not allowed"
  | "not connected"
  | "not written"
  | "paused"
  | "quota reached"
  | "rate limited"
  | "redirected"
  | "timed out"
  | "tool refused"
  | "unknown protocol"

/** What a call has tried before, and what it can try next. */
export interface Course {
  readonly endpoints: ReadonlyArray<Endpoint>
  /** The most helpful refusal so far. */
  readonly refused: Refused | undefined
  readonly tried: ReadonlyArray<TriedUpstream> | undefined
}

export const start = (endpoints: ReadonlyArray<Endpoint>): Course => ({
  endpoints,
  refused: undefined,
  tried: undefined
})

/** All upstreams that were tried, with `endpoint` as the last. */
export const triedBy = (endpoint: Endpoint, { tried }: Course, outcome: Outcome): ReadonlyArray<TriedUpstream> => {
  const last = { upstream: endpoint.provider.name, outcome }
  return tried === undefined ? [last] : [...tried, last]
}

export const without = (endpoint: Endpoint, course: Course, refused: Refused, outcome: Outcome): Course => ({
  endpoints: course.endpoints.filter((other) => other !== endpoint),
  refused: course.refused === undefined ? refused : refusals.moreHelpful(course.refused, refused),
  tried: triedBy(endpoint, course, outcome)
})
