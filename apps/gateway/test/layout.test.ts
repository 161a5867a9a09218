import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { openSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, describe, expect, inject, it } from "vitest"
import { calling } from "./calling.ts"
import { addressIn, folder, type Program, removeFolders, start } from "./program.ts"
import { tollgate } from "./tollgate.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly nginx: string
  }
}

const nginx = inject("nginx")
const deploy = join(import.meta.dirname, "../deploy/nginx")
/** Bounds only a failure: a gateway takes long to start on a busy machine. */
const patience = 240_000

const scope = Scope.makeUnsafe()
const running: Array<Program> = []
const servers: Array<ChildProcess> = []

afterAll(async () => {
  for (const server of servers) {
    server.kill("SIGQUIT")
    if (server.exitCode === null) await once(server, "exit")
  }
  await Promise.all(running.map((program) => program.stop()))
  await Effect.runPromise(Scope.close(scope, Exit.void))
  removeFolders()
}, patience)

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** Starts nginx with the configuration of the layout. Only the port and where it writes differ. */
const startNginx = async (gateways: string) => {
  const place = folder()
  const port = await freePort()
  const conf = readFileSync(join(deploy, "nginx.conf"), "utf8").replace("listen 8787", `listen 127.0.0.1:${port}`)
  const own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${place}/${name};`)
  writeFileSync(join(place, "nginx.conf"), `pid ${place}/pid;\n${conf.replace("http {", `http {\n${own.join("\n")}`)}`)
  const list = (lines: string) => writeFileSync(join(place, "gateways.conf"), lines)
  list(gateways)
  const log = openSync(join(place, "log"), "a")
  const server = spawn(nginx, ["-p", place, "-c", join(place, "nginx.conf"), "-g", "daemon off; user root;"], {
    stdio: ["ignore", log, log]
  })
  servers.push(server)
  const address = `http://127.0.0.1:${port}`
  while (
    !(await fetch(`${address}/healthz`).then(
      ({ ok }) => ok,
      () => false
    ))
  ) {
    if (server.exitCode !== null) throw new Error(readFileSync(join(place, "log"), "utf8"))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const reload = async (lines: string) => {
    list(lines)
    const workers = () => readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8").trim().split(" ")
    const before = workers()
    server.kill("SIGHUP")
    // They end when the last request is answered that they have accepted under the former configuration.
    while (workers().some((pid) => before.includes(pid))) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { address, reload }
}

describe.runIf(hasPostgres && nginx !== "" && process.platform === "linux")("two gateways behind nginx", () => {
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
