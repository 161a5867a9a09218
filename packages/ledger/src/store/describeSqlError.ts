import type { SqlError } from "effect/sql/SqlError"

/**
 * What a log line may say of a failure: the database's own message, which names tables, columns and constraints. Only an error of
 * another kind, such as a number out of range, quotes a value; its message ends before that.
 */
export const describeSqlError = ({ reason: { _tag: reason, message = "" } }: SqlError) => ({
  reason,
  message: reason === "UnknownError" ? (message.split(/[:"]/)[0] ?? "") : message
})
