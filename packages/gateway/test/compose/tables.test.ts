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
    sqlite: "1aed68854e6a29ebeb3898431b0fbad7914e8b18d91e4cb1b8cb36300ad9dc61",
    postgres: "75256546984460b7d2958ff4f7f72c68da915f3fc595ac0d075c4fdfdc032fe5"
  })
})
