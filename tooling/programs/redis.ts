import { existsSync, mkdtempSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { freePort, type RestartableServer, serve } from "./server.ts"

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
export const startRedis = async (program: string): Promise<RestartableServer> => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-redis-"))
  const port = await freePort()
  const flags = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
  return serve({
    name: "Redis",
    url: `redis://127.0.0.1:${port}`,
    folder,
    command: [program, ...flags],
    options: { cwd: folder },
    signal: "KILL",
    isAccepting: () => isAccepting(port)
  })
}
