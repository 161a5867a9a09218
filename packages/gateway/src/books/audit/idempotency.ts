import * as Effect from "effect/Effect"
import { text } from "../store/rows.ts"
import type { Check } from "../ledger/Difference.ts"

/** Each claim names a call, and no two claims name the same one. */
export const idempotency: Check = (rows) =>
  Effect.map(
    rows.run(
      `SELECT i.id, i.call FROM idempotency i LEFT JOIN calls c ON c.id = i.call
      WHERE c.id IS NULL OR EXISTS (SELECT 1 FROM idempotency o WHERE o.call = i.call AND o.id < i.id)`,
      []
    ),
    (found) =>
      found.map((row) => ({
        table: "idempotency",
        column: "call",
        id: text(row, "id"),
        stored: text(row, "call"),
        expected: "a call of its own"
      }))
  )
