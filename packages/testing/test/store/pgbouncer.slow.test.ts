import { PostgresClient } from "@tollgate/server/postgres"
import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import { findPgbouncer } from "@tollgate-tooling/programs/postgres.ts"
import { freePort } from "@tollgate-tooling/programs/server.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const program = findPgbouncer()

/** It does not run as root. */
const user = () => {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  return { uid: id("-u"), gid: id("-g") }
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false))
    socket.once("close", () => resolve(false)).once("connect", () => socket.end())
  })

/** The address of a database through PgBouncer, which ends with the scope. */
const behind = (address: string, mode: "session" | "transaction") =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const { hostname, pathname, port, username } = new URL(address)
        const [folder, own] = [mkdtempSync(join(tmpdir(), "tollgate-pgbouncer-")), await freePort()]
        const file = join(folder, "pgbouncer.ini")
        chmodSync(folder, 0o755)
        writeFileSync(
          file,
          `[databases]\n* = host=${hostname} port=${port} user=${username}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
            `listen_port = ${own}\nauth_type = any\npool_mode = ${mode}\nunix_socket_dir =\nmax_client_conn = 100\n`
        )
        const child = spawn(program ?? "", [file], { stdio: "ignore", ...user() })
        while (!(await accepts(own))) {
          if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`)
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
        return { child, folder, address: `postgres://${username}@127.0.0.1:${own}${pathname}` }
      }),
      ({ child, folder }) =>
        Effect.promise(async () => {
          const ended = new Promise((resolve) => child.once("exit", resolve))
          child.kill("SIGQUIT")
          await ended
          rmSync(folder, { recursive: true })
        })
    ),
    ({ address }) => Redacted.make(address)
  )

const opened = (mode: "session" | "transaction") =>
  Effect.gen(function* () {
    const address = yield* behind(Redacted.value(yield* emptyDatabase), mode)
    return yield* Effect.result(Effect.scoped(Layer.build(PostgresClient.layer({ address }))))
  }).pipe(Effect.scoped)

describe.runIf(hasPostgres && program !== undefined)("PgBouncer", () => {
  it.live("with pool_mode=session is used", () =>
    Effect.map(opened("session"), ({ _tag }) => expect(_tag).toBe("Success"))
  )

  it.live("with pool_mode=transaction is refused in a line that names the setting", () =>
    Effect.map(opened("transaction"), (result) => {
      expect(result._tag).toBe("Failure")
      expect(result._tag === "Failure" ? result.failure.message : "").toMatch(
        /^cannot use PostgreSQL at 127\.0\.0\.1:\d+\/test_\w+: [^\n]*pool_mode=session[^\n]*$/
      )
    })
  )
})
