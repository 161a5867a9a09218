import { spawn, type SpawnOptions } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { createServer } from "node:net"

export interface Server {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** A server that can be ended as by a crash, and started again at the same address with what is on its disk. */
export interface RestartableServer extends Server {
  readonly crash: () => Promise<void>
  readonly start: () => Promise<void>
}

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, "127.0.0.1")
  const listens = await once(server, "listening").then(
    () => true,
    () => false
  )
  if (listens) await new Promise((resolve) => server.close(resolve))
  return listens
}

/** Below those of outgoing connections, so that none takes it while its server is restarted. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    if (await isFree(port)) return port
  }
}

/** Ends the server when the pipe to this process closes, however this process ends. */
const keeper = 'signal=$1; shift; "$@" & server=$!; (read line; kill -$signal $server) <&3 & wait $server'

export interface Served {
  readonly name: string
  readonly url: string
  /** Deleted by `stop`. */
  readonly folder: string
  readonly command: ReadonlyArray<string>
  /** Ends it at once. A program that does not handle QUIT ignores it, because a shell started it in the background. */
  readonly signal: "QUIT" | "KILL"
  readonly options: SpawnOptions
  readonly isAccepting: () => Promise<boolean>
}

export const serve = async (served: Served): Promise<RestartableServer> => {
  const launch = async () => {
    const server = spawn("sh", ["-c", keeper, "sh", served.signal, ...served.command], {
      ...served.options,
      stdio: ["ignore", "ignore", "ignore", "pipe"]
    })
    const ended = once(server, "exit")
    while (!(await served.isAccepting())) {
      if (server.exitCode !== null) throw new Error(`the ${served.name} server for the tests did not start`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return async () => {
      server.stdio[3]?.destroy()
      await ended
    }
  }
  let crash = await launch()
  return {
    url: served.url,
    crash: () => crash(),
    start: async () => {
      crash = await launch()
    },
    stop: async () => {
      await crash()
      rmSync(served.folder, { recursive: true, force: true })
    }
  }
}
