import type { Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Refused, TriedUpstream } from "@tollgate/contract/errors/Refused"
import type { Effect } from "effect/Effect"
import type { Exit } from "effect/Exit"
import type { Decoded, Sent } from "../exchange/Exchange.ts"
import type { TraceContext } from "../observe/trace/TraceContext.ts"
import type { Called } from "./Called.ts"
import type { Endpoint } from "./Endpoint.ts"
import type { Provider } from "./Provider.ts"
import type { Condition, Route } from "./Route.ts"
import * as refusals from "./refusals.ts"

/** What came of trying an upstream. */
export type Outcome =
  | "answered"
  | "answer too large"
  | "broken off"
  | "busy"
  | "credential refused"
  | "failed"
  | "failed at once"
  | "linked session refused"
  | "not allowed"
  | "not connected"
  | "not expressible"
  | "not written"
  | "overloaded"
  | "paused"
  | "quota reached"
  | "rate limited"
  | "redirected"
  | "timed out"
  | "too long"
  | "tool refused"
  | "unknown protocol"

/** One request to an upstream, as its listener sees it. Its place in a trace is sent on. */
export interface Attempt extends TraceContext {
  /** A stream goes on after that. */
  readonly carried: (exit: Exit<Incoming, NotCarried | Refused>) => void
}

export type OnAttempt = (exchange: Decoded, provider: Provider) => Attempt

/** The condition of a fallback that an outcome meets. After `failed` and what follows, it is tried only with leave to pay again. */
const conditionOf: Partial<Readonly<Record<Outcome, Condition>>> = {
  "rate limited": "rate_limited",
  "quota reached": "rate_limited",
  "not connected": "unreachable",
  busy: "unreachable",
  paused: "unreachable",
  "credential refused": "unreachable",
  "failed at once": "unreachable",
  "not expressible": "unreachable",
  overloaded: "overloaded",
  "too long": "too_long",
  failed: "unreachable",
  "timed out": "unreachable",
  "broken off": "unreachable"
}

/** What a call has tried before, and what it can try next. */
export interface Course {
  readonly route: Route<Endpoint> | undefined
  /** Those of the route's own targets that are left. */
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly fallback: ReadonlyArray<Endpoint>
  /** The conditions of fallbacks that were met. */
  readonly met: ReadonlyArray<Condition>
  /** Ends the call after an attempt that may have run, if nothing else answers. */
  readonly otherwise: ((tried: ReadonlyArray<TriedUpstream>) => Effect<Called, Refused>) | undefined
  /** The most helpful refusal so far. */
  readonly refused: Refused | undefined
  readonly tried: ReadonlyArray<TriedUpstream> | undefined
  /** Told of each request to an upstream. */
  readonly onAttempt: OnAttempt | undefined
}

export const nothing: ReadonlyArray<never> = []

export const triedBy = (endpoint: Endpoint, { tried }: Course, outcome: Outcome): ReadonlyArray<TriedUpstream> => {
  const { model, provider, when } = endpoint
  const last = {
    upstream: provider.name,
    outcome,
    ...(when === undefined || model === undefined ? {} : { model })
  }
  return tried === undefined ? [last] : [...tried, last]
}

export const without = (endpoint: Endpoint, course: Course, refused: Refused, outcome: Outcome): Course => {
  const condition = conditionOf[outcome]
  const isOther = (other: Endpoint) => other !== endpoint
  return {
    ...course,
    // The others of the route have the same model, which cannot read more elsewhere.
    endpoints: outcome === "too long" ? nothing : course.endpoints.filter(isOther),
    fallback: course.fallback.filter(isOther),
    met: condition === undefined ? course.met : [...course.met, condition],
    refused: course.refused === undefined ? refused : refusals.moreHelpful(course.refused, refused),
    tried: triedBy(endpoint, course, outcome)
  }
}

/** The next fallback: the first one whose condition was met, and whose model may serve this request. */
export const fallbackOf = ({ alternatives }: Sent, { fallback, met }: Course): Endpoint | undefined =>
  fallback.find(
    ({ model = "", when = nothing }) =>
      when.some((condition) => met.includes(condition)) && alternatives?.get(model) !== "unfit"
  )
