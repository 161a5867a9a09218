import { foldUsage } from "@tollgate/ledger/commit/postgres/foldUsage"
import * as Rows from "@tollgate/ledger/store/rows"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

const withNumbers = (row: Rows.Row): Rows.Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value])
  )

/** Runs a statement without parameters. Integers come back as numbers with every driver. */
export const query = (text: string) =>
  SqlClient.use((sql) => {
    const rows = Rows.make(sql)
    const folded = /_sums/.test(text) ? foldUsage(rows) : Effect.void
    return Effect.map(Effect.andThen(folded, rows.run(text, [])), (found) => found.map(withNumbers))
  })

export const count = (table: string) =>
  Effect.map(query(`SELECT COUNT(*) AS n FROM ${table}`), ([row]) => row?.["n"] as number)
