import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Principal } from "../credential/Keys.ts"
import type * as Rows from "../store/rows.ts"
import { text } from "../store/rows.ts"

/** A key stands for all that come from the same one by rotation; without a key, the account stands for itself. */
export const ownerOf = (
  { mark, run }: ReturnType<typeof Rows.make>,
  { account, key }: Principal
): Effect.Effect<string, SqlError> =>
  key === undefined
    ? Effect.succeed(account)
    : Effect.map(run(`SELECT COALESCE(purse, id) AS owner FROM keys WHERE id = ${mark(1)}`, [key]), ([row]) =>
        row === undefined ? key : text(row, "owner")
      )
