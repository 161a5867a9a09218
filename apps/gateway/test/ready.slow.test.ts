import { PostgresClient } from "@tollgate/server/postgres"
import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { spawnSync } from "node:child_process"
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, type Program, removeFolders, rerank } from "./program.ts"
import { programs } from "./programs.ts"
import { tollgate } from "./tollgate.ts"

const scope = Scope.makeUnsafe()
const run = programs()
afterAll(removeFolders)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const metricsToken = "the-token-of-metrics"

const asked = async (program: Program) => {
  const banner = await program.started
  const [address, key] = [addressIn(banner), keyIn(banner)]
  const ready = async () => {
    const answer = await fetch(`${address}/readyz`)
    return `${answer.status} ${await answer.text()}`
  }
  /** Asks until the answer is this one. The test's own time limit bounds it. */
  const becomes = async (wanted: string) => {
    while ((await ready()) !== wanted) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const refusing = async () => {
    const headers = { authorization: `Bearer ${metricsToken}` }
    const text = await (await fetch(`${address}/metrics`, { headers })).text()
    return [...text.matchAll(/^tollgate_store_refusing\{reason="(\w+)"\} 1$/gm)].map(([, reason]) => reason)
  }
  const call = async () => {
    const answer = await rerank(address, key)
    const body = (await answer.json()) as { readonly error?: { readonly code: string } }
    return body.error?.code ?? answer.status
  }
  return { becomes, call, ready, refusing }
}

const env = (data = folder()) => ({ TOLLGATE_DATA: data, TOLLGATE_METRICS_TOKEN: metricsToken })

/** A file system of its own, as any user may have. */
const within = (path: string) => [
  "unshare",
  "-Urm",
  "sh",
  "-c",
  `mount -t tmpfs -o size=3m tmpfs ${path} && exec "$@"`,
  "-"
]
const hasNamespaces = spawnSync("unshare", ["-Urm", "true"]).status === 0
if (!hasNamespaces) console.log("ready.test.ts: no user namespaces here; the test with a full disk does not run")

describe("a gateway is ready while it accepts billed calls:", () => {
  it.runIf(hasNamespaces)("not on a full disk; again when there is room", async () => {
    const data = folder()
    const program = run(env(data), [], undefined, within(data))
    const { becomes, call, refusing } = await asked(program)
    await becomes("200 ready")
    expect([await call(), await refusing()]).toEqual([200, []])
    const filler = join(`/proc/${program.child.pid}/root${data}`, "filler")
    const file = openSync(filler, "w")
    expect(() => {
      for (;;) writeSync(file, Buffer.alloc(4_096))
    }).toThrow("ENOSPC")
    closeSync(file)
    // The journal of SQLite may have room left in its own file.
    while ((await call()) === 200);
    await becomes("503 not ready: the disk of the store is full")
    expect([await call(), await refusing()]).toEqual(["billing_unavailable", ["disk_full"]])
    rmSync(filler)
    await becomes("200 ready")
    expect([await call(), await refusing()]).toEqual([200, []])
    const { stderr, stdout } = await program.stop()
    expect(stdout + stderr).toContain("calls that cost something are refused")
    expect(stdout + stderr).toContain("the store can be written again")
  })

  it("not after the files of the store were moved away; again when they are back, with nothing lost", async () => {
    const data = folder()
    const program = run(env(data))
    const { becomes, call, refusing } = await asked(program)
    await becomes("200 ready")
    const files = ["tollgate.db", "tollgate.db-wal", "tollgate.db-shm"]
    const elsewhere = folder()
    for (const name of files) renameSync(join(data, name), join(elsewhere, name))
    // Nobody asks it anything until it has seen it.
    await logged(program, "the files of the store were deleted or replaced")
    expect(await call()).toBe("billing_unavailable")
    await becomes("503 not ready: the files of the store were deleted or replaced")
    expect(await refusing()).toEqual(["files_lost"])
    for (const name of files) renameSync(join(elsewhere, name), join(data, name))
    await becomes("200 ready")
    expect([await call(), await refusing()]).toEqual([200, []])
    const { code, stdout, stderr } = await program.stop()
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining("the files of the store are back")])
    expect((await tollgate({ TOLLGATE_DATA: data }, "audit")).stdout).toContain("The ledger is consistent.")
  })

  it("not after one of them was deleted or replaced; it can still be stopped", async () => {
    for (const name of ["tollgate.db", "tollgate.db-wal"]) {
      const data = folder()
      const program = run(env(data))
      const { becomes, call } = await asked(program)
      expect(await call()).toBe(200)
      rmSync(join(data, name))
      await logged(program, "the files of the store were deleted or replaced")
      expect(await call()).toBe("billing_unavailable")
      closeSync(openSync(join(data, name), "w"))
      await becomes("503 not ready: the files of the store were deleted or replaced")
      expect((await program.stop()).code).toBe(0)
    }
  })

  it.runIf(hasPostgres)("not while PostgreSQL is read-only", async () => {
    const address = await Effect.runPromise(Scope.provide(emptyDatabase, scope))
    const name = new URL(Redacted.value(address)).pathname.slice(1)
    const server = Redacted.make(Redacted.value(address).replace(/[^/]*$/, "postgres"))
    const setReadOnly = (isOn: boolean) =>
      Effect.runPromise(
        SqlClient.use((sql) =>
          Effect.andThen(
            sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isOn}`),
            sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`
          )
        ).pipe(Effect.provide(PostgresClient.layer({ address: server, maxConnections: 1 })))
      )
    const program = run({ ...env(), TOLLGATE_STORE: Redacted.value(address) })
    const { becomes, call, refusing } = await asked(program)
    await becomes("200 ready")
    await setReadOnly(true)
    await becomes("503 not ready: the store is read-only")
    expect([await call(), await refusing()]).toEqual(["billing_unavailable", ["read_only"]])
    await setReadOnly(false)
    await becomes("200 ready")
    expect([await call(), await refusing()]).toEqual([200, []])
  })
})

/** Waits until the program has logged this. */
const logged = (program: Program, text: string) =>
  new Promise<void>((resolve) => {
    for (const stream of [program.child.stdout, program.child.stderr]) {
      let printed = ""
      stream?.on("data", (part) => {
        printed += String(part)
        if (printed.includes(text)) resolve()
      })
    }
  })
