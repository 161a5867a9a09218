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
    sqlite: "86d3387263f968506a84c9599b086a9c0adf6830254fe6af5db9ecc3ddbc67b3",
    postgres: "71474fdaffa78c28e7142791de7493a848093dcc7866b250859d5b3b398c49f9"
  })
})
