import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { delimiter, join } from "node:path"
import type { TestProject } from "vitest/node"
import { bundleGateway } from "./gateway.ts"
import { findPostgres, startPostgres } from "./postgres.ts"
import { findRedis, startRedis } from "./redis.ts"
import type { Server } from "./server.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly chromium: string
    /** Empty if there is none. */
    readonly nginx: string
    /** Answers with the address of the PostgreSQL server. Empty if there is none. */
    readonly postgres: string
    /** The same for the Redis server. */
    readonly redis: string
    /** Whether `prometheus` and `promtool` are installed. */
    readonly prometheus: boolean
  }
}

const places = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

const nginxPlaces = [process.env.NGINX_PATH, "/usr/sbin/nginx", "/usr/bin/nginx"]

/** Starts one server for all test files, when the first of them asks for it. */
const serveOnDemand = async (start: () => Promise<Server>) => {
  let started: Promise<Server> | undefined
  const broker = createServer((_, response) => {
    started ??= start()
    started.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error))
    )
  })
  await new Promise<void>((resolve) => broker.listen(0, "127.0.0.1", resolve))
  const stop = async () => {
    broker.close()
    broker.closeAllConnections()
    await (await started)?.stop()
  }
  return { address: `http://127.0.0.1:${(broker.address() as AddressInfo).port}`, stop }
}

const isInstalled = (name: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)))

/** Finds programs that npm does not install, one line for each that is missing, and builds what they start. */
export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const chromium = places.find((path) => path !== undefined && existsSync(path))
  if (chromium === undefined) {
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
  const postgres = binaries === undefined ? undefined : await serveOnDemand(() => startPostgres(binaries))
  provide("postgres", postgres?.address ?? "")
  const redisServer = findRedis()
  if (redisServer === undefined) {
    console.log("Not run: the tests on Redis. Install it (Debian: apt-get install redis-server) or set REDIS_SERVER.")
  }
  const redis = redisServer === undefined ? undefined : await serveOnDemand(() => startRedis(redisServer))
  provide("redis", redis?.address ?? "")
  const hasPrometheus = ["prometheus", "promtool"].every((name) => isInstalled(name))
  if (!hasPrometheus) {
    console.log("Not run: the tests with Prometheus. Install it (Debian: apt-get install prometheus).")
  }
  provide("prometheus", hasPrometheus)
  // Here, once for all test files: they run at the same time.
  await bundleGateway()
  execFileSync(process.execPath, [join(import.meta.dirname, "../../apps/console/build.ts")], { stdio: "inherit" })
  return async () => {
    await Promise.all([postgres?.stop(), redis?.stop()])
  }
}
