import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { createConnection, createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { Program } from "./program.ts"

export const version = "1.15.2"

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: "127.0.0.1" })
    socket.once("connect", () => (socket.destroy(), resolve(true))).once("error", () => resolve(false))
  })

/** CPU time of another process, which the kernel counts in hundredths of a second. */
const cpuMicrosOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** Installs the gateway into a temporary folder, and returns how to start it. `undefined`: it cannot be installed. */
export const portkey = (): (() => Promise<Program>) | undefined => {
  const folder = join(tmpdir(), `tollgate-bench-portkey-${version}`)
  const server = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js")
  if (!existsSync(server)) {
    mkdirSync(folder, { recursive: true })
    try {
      execFileSync(
        "npm",
        ["install", "--no-audit", "--no-fund", "--prefix", folder, `@portkey-ai/gateway@${version}`],
        {
          stdio: "ignore"
        }
      )
    } catch {
      console.log("Not run: @portkey-ai/gateway could not be installed with npm; it needs the registry.")
      return undefined
    }
  }
  return () => startAt(server)
}

const startAt = async (server: string): Promise<Program> => {
  const port = await freePort()
  const child = spawn(process.execPath, [server, "--headless", `--port=${port}`], {
    stdio: "ignore",
    env: { ...process.env, NODE_ENV: "production" }
  })
  for (let i = 0; i < 100 && !(await answers(port)); i++) await setTimeout(100)
  return {
    port,
    cpuMicros: () => Promise.resolve(child.pid === undefined ? 0 : cpuMicrosOf(child.pid)),
    memoryBytes: () => Promise.resolve(0),
    stop: () => child.kill()
  }
}
