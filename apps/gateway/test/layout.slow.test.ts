import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { afterAll, describe, expect, it } from "vitest"
import { calling } from "./calling.ts"
import { hasNginx, startNginx, stopNginx } from "./nginx.ts"
import { addressIn, folder, type Program, removeFolders, start } from "./program.ts"
import { tollgate } from "./tollgate.ts"

/** Bounds only a failure: a gateway takes long to start on a busy machine. */
const patience = 240_000

const scope = Scope.makeUnsafe()
const running: Array<Program> = []

afterAll(async () => {
  await stopNginx()
  await Promise.all(running.map((program) => program.stop()))
  await Effect.runPromise(Scope.close(scope, Exit.void))
  removeFolders()
}, patience)

describe.runIf(hasPostgres && hasNginx)("two gateways behind nginx", () => {
  it(
    "are restarted one after the other under load: every call is answered, and charged once",
    { timeout: patience },
    async () => {
      const key = `tg_${randomBytes(20).toString("hex")}`
      const env = {
        TOLLGATE_STORE: Redacted.value(await Effect.runPromise(Scope.provide(emptyDatabase, scope))),
        TOLLGATE_DATA: folder(),
        TOLLGATE_BOOTSTRAP_KEY: key,
        TOLLGATE_TRUSTED_PROXIES: "1"
      }
      const run = async () => {
        const program = start(env)
        running.push(program)
        return { program, host: new URL(addressIn(await program.started)).host }
      }
      const lines = (...hosts: ReadonlyArray<string>) => hosts.map((host) => `server ${host} max_fails=0;\n`).join("")

      // Both at once: one of them creates tables and key.
      const [first, second] = await Promise.all([run(), run()])
      const [account = ""] = /acct_\w+/.exec((await tollgate(env, "accounts", "list")).stdout) ?? []
      expect((await tollgate(env, "accounts", "set", account, "--rpm", "1000000")).stderr).toBe("")
      const proxy = await startNginx(lines(first.host, second.host))
      const callers = calling(proxy.address, key)
      await callers.more(20)
      let [staying, leaving] = [second, first]
      for (let i = 0; i < 2; i++) {
        await proxy.reload(`${lines(staying.host)}server ${leaving.host} down;\n`)
        const ended = await leaving.program.stop()
        expect([ended.code, ended.stderr]).toEqual([0, ""])
        const next = await run()
        await proxy.reload(lines(staying.host, next.host))
        await callers.more(20)
        ;[staying, leaving] = [next, staying]
      }
      const statuses = await callers.end()
      expect([...statuses.keys()]).toEqual([200])
      const exported = (await tollgate(env, "export")).stdout.trim().split("\n")
      expect(exported).toHaveLength(1 + (statuses.get(200) ?? 0))
      const audit = await tollgate(env, "audit")
      expect([audit.code, audit.stderr]).toEqual([0, ""])
    }
  )
})
