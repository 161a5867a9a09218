import { freePort } from "@tollgate-tooling/programs/server.ts"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { openSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { folder } from "./program.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly nginx: string
  }
}

const nginx = inject("nginx")
const deploy = join(import.meta.dirname, "../deploy/nginx")
const servers: Array<ChildProcess> = []

export const hasNginx = nginx !== "" && process.platform === "linux"

export const stopNginx = async (): Promise<void> => {
  for (const server of servers.splice(0)) {
    server.kill("SIGQUIT")
    if (server.exitCode === null) await once(server, "exit")
  }
}

/** Starts nginx with the configuration of the layout. Only the port and where it writes differ. */
export const startNginx = async (gateways: string) => {
  const place = folder()
  const port = await freePort()
  const conf = readFileSync(join(deploy, "nginx.conf"), "utf8").replace("listen 8787", `listen 127.0.0.1:${port}`)
  const own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${place}/${name};`)
  writeFileSync(join(place, "nginx.conf"), `pid ${place}/pid;\n${conf.replace("http {", `http {\n${own.join("\n")}`)}`)
  const list = (lines: string) => writeFileSync(join(place, "gateways.conf"), lines)
  list(gateways)
  const output = openSync(join(place, "log"), "a")
  const server = spawn(nginx, ["-p", place, "-c", join(place, "nginx.conf"), "-g", "daemon off; user root;"], {
    stdio: ["ignore", output, output]
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
  const log = () => readFileSync(join(place, "log"), "utf8")
  return { address, log, reload }
}
