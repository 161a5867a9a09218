import { hasProperty } from "effect/Predicate"
import type { SqlError } from "effect/sql/SqlError"

/** The SQLSTATE, or SQLite's result code. */
const codeOf = (cause: unknown): string | undefined => {
  const code = hasProperty(cause, "errcode") ? cause.errcode : hasProperty(cause, "code") ? cause.code : undefined
  return /^[0-9A-Z]{1,5}$/.test(String(code)) ? String(code) : undefined
}

/**
 * What a log line may say of a failure: the database's own message, which names tables, columns and constraints. An error of an
 * unknown kind, such as a number out of range, may quote a value: of that only the code.
 */
export const describeSqlError = ({ reason: { _tag: reason, cause, message } }: SqlError) =>
  reason === "UnknownError" ? { reason, code: codeOf(cause) } : { reason, message }

/** Whether a function of the store has raised this state. */
export const isRaised = ({ reason: { cause } }: SqlError, state: string): boolean =>
  hasProperty(cause, "code") && cause.code === state
