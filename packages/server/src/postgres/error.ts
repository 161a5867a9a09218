import { connectionError } from "@tollgate/ledger/store/rows"
import { hasProperty } from "effect/Predicate"
import * as SqlError from "effect/sql/SqlError"

/** An integer that a number does not hold exactly. */
export class InexactInteger extends RangeError {
  constructor() {
    super("an integer is beyond 2^53: read it under SafeIntegers")
  }
}

const codeOf = (cause: unknown): string =>
  hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : ""

const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  // What Node throws if no address of a host answers has no message.
  return cause.message === "" ? codeOf(cause) : cause.message
}

const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code)

/** The SQLSTATE of a write to a server that takes none. */
export const readOnlyState = "25006"

/** Whether the server takes no writes. */
export const isReadOnly = (cause: unknown): boolean => codeOf(cause) === readOnlyState

/** SQLSTATEs after which a connection is of no use: lost, read-only, or its prepared statements are those of an older schema. */
const unusable = /^(?:08|57P0|0A000|26000|25006)/

/** Whether the connection must not be used again. */
export const breaksConnection = (cause: unknown): boolean => {
  const code = codeOf(cause)
  return isSqlState(code) ? unusable.test(code) : !(cause instanceof InexactInteger)
}

/**
 * Whether nothing was written and the same may succeed on another connection: the statement was prepared for an older schema,
 * or the transaction was the victim of a deadlock.
 */
export const isRepeatable = ({ reason: { cause } }: SqlError.SqlError): boolean => {
  const code = codeOf(cause)
  if (code === "0A000") return hasProperty(cause, "routine") && cause.routine === "RevalidateCachedQuery"
  return code === "26000" || code === "40P01" || code === "40001"
}

export const sqlError = (cause: unknown, operation: string, prefix = ""): SqlError.SqlError =>
  new SqlError.SqlError({ reason: reasonOf(cause, { cause, operation, message: prefix + messageOf(cause) }) })

export { connectionError }

interface Props {
  readonly cause: unknown
  readonly operation: string
  readonly message: string
}

const reasonOf = (cause: unknown, props: Props): SqlError.SqlErrorReason => {
  if (cause instanceof InexactInteger) return new SqlError.UnknownError(props)
  const code = codeOf(cause)
  // `pg` reports a lost or refused connection, and a timeout, by an error without an SQLSTATE.
  if (!isSqlState(code)) {
    return props.message.endsWith("Query read timeout")
      ? new SqlError.StatementTimeoutError(props)
      : new SqlError.ConnectionError(props)
  }
  if (code === "23505") {
    const constraint = hasProperty(cause, "constraint") ? String(cause.constraint) : "unknown"
    return new SqlError.UniqueViolation({ ...props, constraint })
  }
  const Reason = reasons[code] ?? reasons[code.slice(0, 2)] ?? SqlError.UnknownError
  return new Reason(props)
}

/** By SQLSTATE, or by its class. */
const reasons: Readonly<Record<string, new (props: Props) => SqlError.SqlErrorReason>> = {
  [readOnlyState]: SqlError.ConnectionError, // a standby, which is not the server that is wanted
  "3D000": SqlError.ConnectionError, // the database does not exist
  "42501": SqlError.AuthorizationError, // insufficient_privilege
  "40001": SqlError.SerializationError,
  "40P01": SqlError.DeadlockError,
  "55P03": SqlError.LockTimeoutError,
  "57014": SqlError.StatementTimeoutError, // query_canceled
  "08": SqlError.ConnectionError, // connection
  "53": SqlError.ConnectionError, // resources: disk, memory, connections
  "57": SqlError.ConnectionError, // shut down, not yet started
  "58": SqlError.ConnectionError, // system
  "23": SqlError.ConstraintError,
  "28": SqlError.AuthenticationError,
  "42": SqlError.SqlSyntaxError
}
