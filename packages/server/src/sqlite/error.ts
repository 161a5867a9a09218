import { hasProperty } from "effect/Predicate"
import * as SqlError from "effect/sql/SqlError"

/** SQLite's result codes: https://www.sqlite.org/rescode.html */
const uniqueCodes = new Set([1555, 2067, 2579])

/** Errors of `node:sqlite` have a `code`; errors of our own code have none. */
export const isSqliteError = (cause: unknown): boolean => cause instanceof Error && hasProperty(cause, "code")

/** `node:sqlite` puts SQLite's extended result code in `errcode`. */
const codeOf = (cause: unknown): number =>
  hasProperty(cause, "errcode") && typeof cause.errcode === "number" ? cause.errcode : -1

/** SQLite's codes for a lock that another connection holds. Not BUSY_SNAPSHOT: waiting does not renew an old snapshot. */
const busyCodes = new Set([5, 261, 773])

/** Whether it helps to wait for another connection. */
export const isBusy = (cause: unknown): boolean => busyCodes.has(codeOf(cause))

export const sqlError = (cause: unknown, operation: string, prefix = ""): SqlError.SqlError => {
  const text = cause instanceof Error ? cause.message : String(cause)
  const code = codeOf(cause)
  return new SqlError.SqlError({ reason: reasonOf(code, text, { cause, operation, message: prefix + text }) })
}

interface Props {
  readonly cause: unknown
  readonly operation: string
  readonly message: string
}

/** Others are unknown, CORRUPT and NOTADB among them: a retry does not help. */
const reasons: Readonly<Record<number, new (props: Props) => SqlError.SqlErrorReason>> = {
  1: SqlError.SqlSyntaxError, // ERROR
  3: SqlError.AuthorizationError, // PERM
  5: SqlError.LockTimeoutError, // BUSY
  6: SqlError.LockTimeoutError, // LOCKED
  8: SqlError.AuthorizationError, // READONLY
  9: SqlError.StatementTimeoutError, // INTERRUPT
  10: SqlError.ConnectionError, // IOERR
  13: SqlError.ConnectionError, // FULL
  14: SqlError.ConnectionError, // CANTOPEN
  19: SqlError.ConstraintError, // CONSTRAINT
  23: SqlError.AuthorizationError // AUTH
}

const reasonOf = (code: number, text: string, props: Props): SqlError.SqlErrorReason => {
  if (uniqueCodes.has(code)) {
    return new SqlError.UniqueViolation({ ...props, constraint: text.replace(/^UNIQUE constraint failed: /, "") })
  }
  return new (reasons[code & 0xff] ?? SqlError.UnknownError)(props)
}
