import { expect, it } from "@effect/vitest"
import { commitCommands } from "@tollgate/ledger/commit/postgres/commitCommands"
import { foldUsageFunction } from "@tollgate/ledger/commit/postgres/foldUsage"
import { embeddedTables, sharedTables, tables } from "@tollgate/ledger/schema/tables"
import { postgres } from "@tollgate/ledger/store/Dialect"
import { createHash } from "node:crypto"
import { beside } from "../../src/compose/tables.ts"

const digestOf = (statements: ReadonlyArray<string>): string =>
  createHash("sha256").update(statements.join(";\n")).digest("hex")

// A store that exists gets nothing of a change here. Write a migration of its own instead, and a function under another name.
it("the text of the first migration stays as it is", () => {
  const all = [...tables, ...beside.tables]
  const shared = [...all, ...sharedTables, ...beside.sharedTables].map(postgres.schema)
  expect({
    sqlite: digestOf([...all, ...embeddedTables]),
    postgres: digestOf([...shared, commitCommands, foldUsageFunction, ...beside.functions])
  }).toEqual({
    sqlite: "dc1d7eb280a028ae8e84987bed914f27716ce2a2929cf789deaa24322d61491e",
    postgres: "75854e87d758a381407949898cebf105fa395f8a7cf4684658f5ee62933bea94"
  })
})
