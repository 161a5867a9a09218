import { findPostgres, startPostgres } from "@tollgate-tooling/programs/postgres.ts"
import { PostgresClient } from "@tollgate/server/postgres"
import { hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { afterAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank } from "./program.ts"
import { programs } from "./programs.ts"
import { tollgate } from "./tollgate.ts"

const run = programs()
afterAll(removeFolders)

const on = (url: string, text: string) =>
  Effect.runPromise(
    SqlClient.use((sql) => sql.unsafe(text)).pipe(
      Effect.provide(PostgresClient.layer({ address: Redacted.make(`${url}/postgres`), maxConnections: 1 }))
    )
  )

describe.runIf(hasPostgres)("a gateway whose address has the primary and its standby", () => {
  it("goes on with the standby when it is promoted, without a restart", async () => {
    const binaries = findPostgres() ?? ""
    const primary = await startPostgres(binaries)
    const standby = await startPostgres(binaries, { standbyOf: primary.url })
    try {
      const password = "s3cret-password"
      const places = [primary, standby].map(({ url }) => url.split("@")[1])
      const store = `postgres://tollgate:${password}@${places.join()}/postgres?target_session_attrs=read-write`
      const env = { TOLLGATE_DATA: folder(), TOLLGATE_STORE: store }
      const program = run(env)
      const banner = await program.started
      const [address, key] = [addressIn(banner), keyIn(banner)]
      const becomes = async (status: number) => {
        while ((await fetch(`${address}/readyz`)).status !== status) await new Promise((r) => setTimeout(r, 50))
      }
      await becomes(200)
      expect((await rerank(address, key)).status).toBe(200)
      // What it has written is on the standby.
      await on(primary.url, "SELECT pg_switch_wal()")
      while ((await on(standby.url, "SELECT 1 FROM keys").catch(() => [])).length === 0);

      await primary.crash()
      await becomes(503)
      expect((await rerank(address, key)).status).toBe(503)
      await on(standby.url, "SELECT pg_promote()")
      await becomes(200)
      expect((await rerank(address, key)).status).toBe(200)
      expect((await tollgate(env, "audit")).stdout).toContain("The ledger is consistent.")
      const { stderr, stdout } = await program.stop()
      expect(stdout + stderr).not.toContain(password)
    } finally {
      await Promise.all([primary.stop(), standby.stop()])
    }
  })
})
