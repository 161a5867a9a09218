import * as Cause from "effect/Cause"
import type * as Logger from "effect/Logger"
import type { LogLevel } from "effect/LogLevel"
import { CurrentLogAnnotations } from "effect/References"
import { describeDefect } from "../internal/describeDefect.ts"
import type { CallEvent } from "./CallEvent.ts"
import { redact } from "./trace/Span.ts"

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
    via: event.via === "http" ? undefined : event.via,
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

/** One thing to log: constant text, with fields. */
export interface LogEntry {
  readonly at: Date
  readonly level: LogLevel
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  /** What the caller tagged the call with. */
  readonly tags?: Readonly<Record<string, string>> | undefined
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !Cause.isCause(value)

/** What a program logged by `Effect.log…`: the first text is the message, objects are fields. */
export const entryOf = ({ cause, date, fiber, logLevel, message }: Logger.Options<unknown>): LogEntry => {
  const parts = Array.isArray(message) ? message : [message]
  const fields: Record<string, unknown> = { ...fiber.getRef(CurrentLogAnnotations) }
  const texts: Array<string> = []
  for (const part of parts) {
    if (isFields(part)) Object.assign(fields, part)
    else if (!Cause.isCause(part)) texts.push(String(part))
  }
  const found = cause.reasons.length > 0 ? cause : parts.find(Cause.isCause)
  // Without its message, which may quote what a caller sent.
  if (found !== undefined && found.reasons.length > 0) fields["defect"] ??= describeDefect(Cause.squash(found))
  return { at: date, level: logLevel, message: texts.join(" "), fields }
}

export type LogFormat = "json" | "readable"

/** A longer text is cut, and of more fields the rest is left out. So a line has a bound. */
const longestText = 1_024
const mostFields = 40

/** Line separators and terminal control characters that JSON leaves as they are. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

const escaped = (text: string): string =>
  JSON.stringify(text).replaceAll(unsafe, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)

const bounded = (text: string): string => redact(text.length > longestText ? `${text.slice(0, longestText)}…` : text)

/** The value as JSON, or `undefined` if there is none. An object becomes text: only tags nest. */
const valueOf = (value: unknown): string | undefined => {
  switch (typeof value) {
    case "undefined":
    case "function":
    case "symbol":
      return undefined
    case "boolean":
    case "bigint":
      return String(value)
    case "number":
      return Number.isFinite(value) ? String(value) : escaped(String(value))
    case "string":
      return escaped(bounded(value))
    case "object":
      return value === null ? "null" : escaped(bounded(textOf(value)))
  }
}

const textOf = (value: object): string => {
  try {
    return (
      JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part)) ?? String(value)
    )
  } catch {
    return Object.prototype.toString.call(value)
  }
}

const own = new Set(["time", "level", "message"])

const objectOf = (tags: Readonly<Record<string, string>>): string => {
  const members = Object.entries(tags).slice(0, mostFields)
  return `{${members.map(([name, value]) => `${escaped(bounded(name))}:${escaped(bounded(value))}`).join(",")}}`
}

const fieldsOf = ({ fields, tags }: LogEntry): ReadonlyArray<readonly [string, string]> => {
  const found = Object.entries(fields)
    .slice(0, mostFields)
    .flatMap(([name, value]) => {
      const text = own.has(name) ? undefined : valueOf(value)
      return text === undefined ? [] : [[name, text] as const]
    })
  return tags === undefined ? found : [...found, ["tags", objectOf(tags)]]
}

const json = (entry: LogEntry): string => {
  const { at, level, message } = entry
  const fields = fieldsOf(entry).map(([name, value]) => `,${escaped(bounded(name))}:${value}`)
  const head = `{"time":"${at.toISOString()}","level":"${level.toLowerCase()}","message":${escaped(bounded(message))}`
  return `${head}${fields.join("")}}\n`
}

/** Quotes are left out where nothing can be misread. */
const plain = (value: string): string => {
  const text = value.slice(1, -1)
  return value.startsWith('"') && /^[\w.:/@+-]+$/.test(text) ? text : value
}

const readable = (entry: LogEntry): string => {
  const { at, level, message } = entry
  const fields = fieldsOf(entry).map(([name, value]) => ` ${plain(escaped(bounded(name)))}=${plain(value)}`)
  const text = escaped(bounded(message)).slice(1, -1)
  return `${at.toISOString()} ${level.toUpperCase().padEnd(5)} ${text}${fields.join("")}\n`
}

export const lineOf = (format: LogFormat, entry: LogEntry): string =>
  format === "json" ? json(entry) : readable(entry)
