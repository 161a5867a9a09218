import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { expect, it } from "@effect/vitest"
import { NodeSqliteClient } from "@tollgate/server"
import { LedgerSql } from "@tollgate/gateway"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ask } from "@tollgate/testing/ask"

const offsets = countOf("TORN_OFFSETS", 60, 1_000)

const body = JSON.stringify({ query: "river", documents: ["river ".repeat(60)] })

const state = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [row] = yield* sql<
    Record<"calls" | "charged" | "reserved" | "balance" | "held" | "credited" | "sums" | "operations", number>
  >`
    SELECT (SELECT COUNT(*) FROM calls) AS calls,
      (SELECT COALESCE(SUM(charged), 0) FROM calls) AS charged,
      (SELECT COALESCE(SUM(reserved), 0) FROM calls WHERE state = 'open') AS reserved,
      (SELECT COALESCE(SUM(balance), 0) FROM accounts) AS balance,
      (SELECT COALESCE(SUM(reserved), 0) FROM accounts) AS held,
      (SELECT COALESCE(SUM(amount), 0) FROM entries) AS credited,
      (SELECT COALESCE(SUM(charged), 0) FROM usage_sums WHERE span = 60000) AS sums,
      (SELECT COALESCE(SUM(charged), 0) FROM operation_sums WHERE span = 3600000) AS operations`
  return row!
})

it.live(
  `a write-ahead log that is truncated or corrupted at ${offsets} offsets leaves a consistent earlier state`,
  () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "tollgate-torn-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const original = join(folder, "original.db")
      const { database, log } = yield* Effect.gen(function* () {
        for (let i = 0; i < 60; i++) yield* ask("POST", "/v1/rerank", { authorization: `Bearer ${key}` }, body)
        return { database: readFileSync(original), log: readFileSync(`${original}-wal`) }
      }).pipe(Effect.provide(Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer({ filename: original })))))
      expect(log.length).toBeGreaterThan(100_000)

      const callCounts = new Set<number>()
      for (let i = 0; i < offsets; i++) {
        const filename = join(folder, "copy.db")
        for (const suffix of ["", "-wal", "-shm"]) rmSync(filename + suffix, { force: true })
        writeFileSync(filename, database)
        const at = Math.floor((log.length * (i + 1)) / offsets)
        const torn = Buffer.from(log.subarray(0, at))
        if (i % 3 === 0 && at > 32) torn[at - 1 - (i % 32)]! ^= 0xff
        writeFileSync(`${filename}-wal`, torn)
        const found = yield* Effect.andThen(LedgerSql.checkpoint, state).pipe(
          Effect.provide(NodeSqliteClient.layer({ filename })),
          Effect.catch(() => Effect.succeed(undefined))
        )
        // Truncated before the tables were created.
        if (found === undefined) continue
        callCounts.add(found.calls)
        const { balance, held, operations, sums } = found
        expect({ at, balance, held, sums, operations }).toEqual({
          at,
          balance: found.credited - found.charged,
          held: found.reserved,
          sums: found.charged,
          operations: found.charged
        })
      }
      expect(callCounts.size).toBeGreaterThan(20)
    }).pipe(Effect.scoped)
)
