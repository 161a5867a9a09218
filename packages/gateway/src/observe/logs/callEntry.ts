import type { CallEvent } from "../CallEvent.ts"
import type { LogEntry } from "./LogEntry.ts"

/** Which calls have a line of their own. */
export type LoggedCalls = "none" | "failures" | "all"

/** Also a stream that broke off, whose status is 200. */
const isFailure = ({ code, status }: CallEvent): boolean => status >= 400 || code !== undefined

export const isLogged = (event: CallEvent, calls: LoggedCalls): boolean =>
  calls === "all" || (calls === "failures" && isFailure(event))

/** What is the caller's own doing is no warning. */
const levelOf = (event: CallEvent): LogEntry["level"] => {
  const isOurs = event.status >= 500 || event.outcome === "unknown" || (event.status < 400 && isFailure(event))
  return isOurs && event.code !== "caller_left" ? "Warn" : "Info"
}

const hundredths = (millis: number | undefined): number | undefined =>
  millis === undefined ? undefined : Math.round(millis * 100) / 100

const messages = { call: "call", quote: "quote", task: "task ended" } as const

/** The line of a call that has ended. Amounts are micro-USD. Neither bodies nor credentials are known here. */
export const callEntry = (event: CallEvent, now: number): LogEntry => ({
  at: new Date(now),
  level: levelOf(event),
  message: messages[event.kind],
  tags: event.tags,
  fields: {
    requestId: event.requestId,
    traceId: event.traceId,
    spanId: event.spanId,
    face: event.face === "http" ? undefined : event.face,
    operation: event.operation,
    model: event.model,
    account: event.account,
    key: event.key,
    upstream: event.upstream,
    tried: event.tried?.map(({ outcome, upstream }) => `${upstream}: ${outcome}`).join(", "),
    status: event.status,
    code: event.code,
    limit: event.limit,
    outcome: event.outcome,
    costState: event.costState,
    chargeMicros: event.charge,
    lossMicros: event.loss > 0n ? event.loss : undefined,
    inputTokens: event.tokens.input > 0 ? event.tokens.input : undefined,
    outputTokens: event.tokens.output > 0 ? event.tokens.output : undefined,
    durationMillis: hundredths(event.durationMillis),
    firstByteMillis: hundredths(event.firstByteMillis),
    streamed: event.streamed ? true : undefined,
    replayed: event.replayed ? true : undefined,
    kept: event.kept ? true : undefined
  }
})
