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
    sqlite: "a6342467efc88ed381bd6b7b2641159374f5ef9af8adf702d3288dacf7c1265d",
    postgres: "849574ac545ddbf60d0f902b40709abec20315c3e109a4ade7326bd89ea98b7c"
  })
})
