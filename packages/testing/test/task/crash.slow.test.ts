import { expect, it } from "@effect/vitest"
import { Audit } from "@tollgate/gateway"
import { waitForExit, startSandbox } from "@tollgate/testing/crash/process"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { micros, store } from "@tollgate/testing/task/setup"

const program = fileURLToPath(new URL("../../src/task/crash.program.ts", import.meta.url))

interface Call {
  readonly id: string
  readonly state: string
  readonly charged: number
}

it.live("kill -9 while tasks start and end: exactly the tasks that the upstream billed are charged, each once", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "tollgate-task-crash-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const filename = join(folder, "tollgate.db")
    const billed = yield* Effect.promise(async () => {
      const sandbox = await startSandbox()
      for (const [milestone, nth] of [
        ["committing", 30],
        ["committed", 43]
      ] as const) {
        await waitForExit(fork(program, [filename, sandbox.baseUrl, milestone, String(nth)]))
      }
      const last = fork(program, [filename, sandbox.baseUrl])
      await once(last, "message")
      last.kill("SIGKILL")
      await waitForExit(last)
      const entries = await sandbox.entries()
      sandbox.stop()
      return entries.filter(({ billed }) => billed["tasks"] === 1).map(({ requestId }) => requestId ?? "")
    })
    const calls = yield* Effect.flatMap(
      SqlClient,
      (sql) => sql<Call>`SELECT id, state, charged FROM calls WHERE owner <> ''`
    ).pipe(Effect.provide(store(filename)))
    const count = (state: string) => calls.filter((call) => call.state === state).length
    expect(count("settled")).toBeGreaterThan(5)
    expect(count("released")).toBeGreaterThan(2)
    expect(count("open") + count("running")).toBe(0)
    const paid = calls.filter(({ state }) => state === "settled")
    expect(new Set(billed)).toEqual(new Set(paid.map(({ id }) => id)))
    expect(billed.length).toBe(paid.length)
    for (const { charged } of paid) expect(charged).toBe(Number(micros))
    const { differences } = yield* Audit.run.pipe(Effect.provide(store(filename)))
    expect(differences).toEqual([])
  }).pipe(Effect.scoped)
)
