import type { Accepted } from "../exchange/Exchange.ts"
import type { ObservedCall } from "../observe/ObservedCall.ts"
import { parse } from "../observe/trace/TraceContext.ts"
import type { Tracing } from "../observe/trace/Tracing.ts"

/** Begins the call's trace if it is recorded. If not, its event still names the trace of a caller who has one. */
export const traceCall = (tracing: Tracing | undefined, accepted: Accepted, observed: ObservedCall): void => {
  observed.trace = tracing?.begin(accepted)
  const { traceparent } = accepted.request.headers
  if (observed.trace === undefined && traceparent !== undefined) observed.traceId = parse(traceparent)?.traceId
}
