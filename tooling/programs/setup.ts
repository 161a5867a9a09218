import { execFile } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"
import { slowFiles } from "./counts.ts"
import { bundleGateway, gatewayProgram } from "./gateway.ts"
import { memoryFolder } from "./memoryFolder.ts"
import { findPgbouncer, findPostgres, startPostgres } from "./postgres.ts"
import { findRedis, startRedis } from "./redis.ts"
import type { Server } from "./server.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the program, or empty. */
    readonly chromium: string
    /** The same. */
    readonly nginx: string
    /** Whether these are installed. */
    readonly postgres: boolean
    readonly redis: boolean
    readonly prometheus: boolean
  }
}

const places = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

const nginxPlaces = [process.env.NGINX_PATH, "/usr/sbin/nginx", "/usr/bin/nginx"]

const isInstalled = (name: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)))

const buildConsole = async (): Promise<string> => {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, "../../apps/console/build.ts")])
  return ""
}

/** Answers `onDemand`: does each task once, when the first test file asks for it. */
const startBroker = async (tasks: Readonly<Record<string, () => Promise<string>>>) => {
  const results = new Map<string, Promise<string>>()
  const broker = createServer(({ url = "" }, response) => {
    const name = url.slice(1)
    const result = results.get(name) ?? tasks[name]?.() ?? Promise.reject(new Error(`not installed: ${name}`))
    results.set(name, result)
    result.then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(String(error))
    )
  })
  await new Promise<void>((resolve) => broker.listen(0, "127.0.0.1", resolve))
  const stop = () => {
    broker.close()
    broker.closeAllConnections()
  }
  return { address: `http://127.0.0.1:${(broker.address() as AddressInfo).port}`, stop }
}

/** Finds programs that npm does not install, one line for each that is missing. Starts and builds only what a test asks for. */
export default async ({ config, provide }: TestProject): Promise<() => Promise<void>> => {
  const written = process.env.TMPDIR === undefined ? memoryFolder() : undefined
  if (written !== undefined) process.env.TMPDIR = written
  const chromium = places.find((path) => path !== undefined && existsSync(path))
  if (config.exclude.includes(slowFiles)) {
    console.log(
      "Not run: the tests in Chromium, of tarballs and crashes, and most of those that start a program or a server. `pnpm test:all` runs them."
    )
  } else if (chromium === undefined) {
    console.log("Not run: the tests in Chromium. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.")
  }
  provide("chromium", chromium ?? "")
  const nginx = nginxPlaces.find((path) => path !== undefined && existsSync(path))
  if (nginx === undefined) {
    console.log("Not run: the tests behind nginx. Install it (Debian: apt-get install nginx) or set NGINX_PATH.")
  }
  provide("nginx", nginx ?? "")
  const binaries = findPostgres()
  if (binaries === undefined) {
    console.log(
      "Not run: the tests on PostgreSQL. Install it (Debian: apt-get install postgresql) or set POSTGRES_BIN."
    )
  }
  provide("postgres", binaries !== undefined)
  if (findPgbouncer() === undefined) {
    console.log("Not run: the tests behind PgBouncer. Install it (Debian: apt-get install pgbouncer) or set PGBOUNCER.")
  }
  const redisServer = findRedis()
  if (redisServer === undefined) {
    console.log("Not run: the tests on Redis. Install it (Debian: apt-get install redis-server) or set REDIS_SERVER.")
  }
  provide("redis", redisServer !== undefined)
  const hasPrometheus = ["prometheus", "promtool"].every((name) => isInstalled(name))
  if (!hasPrometheus) {
    console.log("Not run: the tests with Prometheus. Install it (Debian: apt-get install prometheus).")
  }
  provide("prometheus", hasPrometheus)
  const servers: Array<Server> = []
  const serve = async (started: Promise<Server>): Promise<string> => {
    const server = await started
    servers.push(server)
    return server.url
  }
  const broker = await startBroker({
    gateway: () => bundleGateway().then(() => gatewayProgram),
    console: buildConsole,
    ...(binaries === undefined ? {} : { postgres: () => serve(startPostgres(binaries)) }),
    ...(redisServer === undefined ? {} : { redis: () => serve(startRedis(redisServer)) })
  })
  provide("broker", broker.address)
  return async () => {
    broker.stop()
    await Promise.all(servers.map(({ stop }) => stop()))
    if (written !== undefined) rmSync(written, { recursive: true, force: true })
  }
}
