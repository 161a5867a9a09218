import * as Effect from "effect/Effect"
import { text } from "../store/rows.ts"
import type { Check } from "../ledger/Difference.ts"

/** A call is `running` exactly as long as its task is. */
export const tasks: Check = (rows) =>
  Effect.gen(function* () {
    const alone = yield* rows.run(
      "SELECT id FROM calls c WHERE state = 'running'" +
        " AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.call = c.id AND t.ended_at IS NULL)",
      []
    )
    const over = yield* rows.run(
      "SELECT t.id, t.call FROM tasks t LEFT JOIN calls c ON c.id = t.call" +
        " WHERE t.ended_at IS NULL AND (c.id IS NULL OR c.ended_at IS NOT NULL)",
      []
    )
    return [
      ...alone.map((row) => ({
        table: "calls",
        column: "state",
        id: text(row, "id"),
        stored: "running",
        expected: "a task that has not ended"
      })),
      ...over.map((row) => ({
        table: "tasks",
        column: "call",
        id: text(row, "id"),
        stored: text(row, "call"),
        expected: "a call that has not ended"
      }))
    ]
  })
