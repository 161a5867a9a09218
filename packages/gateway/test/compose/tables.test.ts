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
    sqlite: "f91a8fdd601d96fbe155a763da8d24782dd0d6ec534c94d4e93ae2c1e55df654",
    postgres: "4343ba821373e78ac9af4b13e768ed54dbc230d91d9a308e0d282aa71a3a72eb"
  })
})
