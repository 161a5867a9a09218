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

const reasonOf = (
  code: number,
  text: string,
  props: { readonly cause: unknown; readonly operation: string; readonly message: string }
): SqlError.SqlErrorReason => {
  if (uniqueCodes.has(code)) {
    return new SqlError.UniqueViolation({ ...props, constraint: text.replace(/^UNIQUE constraint failed: /, "") })
  }
  switch (code & 0xff) {
    case 1: // ERROR
      return new SqlError.SqlSyntaxError(props)
    case 3: // PERM
    case 8: // READONLY
    case 23: // AUTH
      return new SqlError.AuthorizationError(props)
    case 5: // BUSY
    case 6: // LOCKED
      return new SqlError.LockTimeoutError(props)
    case 9: // INTERRUPT
      return new SqlError.StatementTimeoutError(props)
    case 10: // IOERR
    case 13: // FULL
    case 14: // CANTOPEN
      return new SqlError.ConnectionError(props)
    case 19: // CONSTRAINT
      return new SqlError.ConstraintError(props)
    default: // CORRUPT and NOTADB among them: a retry does not help
      return new SqlError.UnknownError(props)
  }
}
