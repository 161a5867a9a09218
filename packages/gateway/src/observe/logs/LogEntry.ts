import * as Cause from "effect/Cause"
import type * as Logger from "effect/Logger"
import type { LogLevel } from "effect/LogLevel"
import { CurrentLogAnnotations } from "effect/References"
import { describeDefect } from "../../internal/describeDefect.ts"

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
