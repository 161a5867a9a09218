import * as Effect from "effect/Effect"
import { text } from "../store/rows.ts"
import type { Check } from "./Difference.ts"

// The id is the JSON of account, operation and key, in this order.
const beginning = `'["' || c.account || '","' || c.operation || '",'`

/** Each row names a call, of the account and operation that are in its id. */
export const idempotency: Check = (rows) =>
  Effect.map(
    rows.run(
      `SELECT i.id, i.call FROM idempotency i LEFT JOIN calls c ON c.id = i.call
      WHERE c.id IS NULL OR SUBSTR(i.id, 1, LENGTH(${beginning})) <> ${beginning}`,
      []
    ),
    (found) =>
      found.map((row) => ({
        table: "idempotency",
        column: "call",
        id: text(row, "id"),
        stored: text(row, "call"),
        expected: "a call of this account and operation"
      }))
  )
