import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { freePort, keeper, type Server } from "./server.ts"

/** The program: `REDIS_SERVER`, or the first in the path. */
export const findRedis = (): string | undefined => {
  const folders = (process.env.PATH ?? "").split(delimiter)
  const places = [process.env.REDIS_SERVER, ...folders.map((folder) => join(folder, "redis-server"))]
  return places.find((path) => path !== undefined && existsSync(path))
}

const isAccepting = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    })
    socket.on("error", () => resolve(false))
  })

/** Starts a server of its own, which stores nothing on disk. */
export const startRedis = async (program: string): Promise<Server> => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-redis-"))
  const port = await freePort()
  const flags = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
  const server: ChildProcess = spawn("sh", ["-c", keeper("TERM"), "sh", program, ...flags], {
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore", "pipe"]
  })
  const ended = once(server, "exit")
  while (!(await isAccepting(port))) {
    if (server.exitCode !== null) throw new Error("the Redis server for the tests did not start")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      server.stdio[3]?.destroy()
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
