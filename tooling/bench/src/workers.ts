import { bundleGateway, gatewayProgram } from "@tollgate-tooling/programs/gateway.ts"
import { findPostgres, startPostgres } from "@tollgate-tooling/programs/postgres.ts"
import { freePort } from "@tollgate-tooling/programs/server.ts"
import { micro } from "@tollgate/contract/Money"
import { Accounts, Composition, migrate } from "@tollgate/gateway"
import { NodeDigest } from "@tollgate/server"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { availableParallelism, loadavg, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { median } from "./middle.ts"
import { cpuMillis } from "./cpu.ts"
import { load, post } from "./load.ts"
import { program } from "./program.ts"
import { path, question } from "./question.ts"

// Calls a second of `tollgate start --workers` on PostgreSQL, for the whole machine: gateway, database, upstream and load share
// it. `pnpm bench workers ../other` measures the bundle of another checkout beside this one's.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string" }, seconds: { type: "string" }, workers: { type: "string" } }
})
const rounds = Number(values.rounds ?? 7)
const millis = Number(values.seconds ?? 3) * 1_000
const counts = (values.workers ?? "1,2").split(",").map(Number)
const connections = 32
const warmUpCalls = 16_000
const warmUpMillis = 20_000

const binaries = findPostgres()
if (binaries === undefined) {
  console.log("PostgreSQL is not installed.")
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-workers-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
const server = await startPostgres(binaries, { fsync: true })
const upstream = await program("upstream")

const config = join(folder, "tollgate.json")
writeFileSync(
  config,
  JSON.stringify({
    upstreams: { bench: { protocol: "json", baseUrl: `http://127.0.0.1:${upstream.port}`, private: true } },
    routes: [{ operation: "rerank", to: [{ upstream: "bench" }] }]
  })
)

const secret = new Uint8Array(32).fill(1)
/** One account each: calls of one account wait for each other in the ledger. */
const keys = Array.from({ length: connections }, (_, i) => `caller-of-the-bench-${i + 100}`)

const createAccounts = Effect.gen(function* () {
  const accounts = yield* Accounts
  for (const key of keys) {
    const { id } = yield* accounts.create(key)
    yield* accounts.topUp(id, micro(1_000_000_000_000n), key)
    yield* accounts.change(id, { rpm: 1_000_000_000, tpm: 1_000_000_000, concurrency: 100_000 })
    yield* accounts.adoptKey(id, Redacted.make(key), key)
  }
})

const newDatabase = async (name: string): Promise<string> => {
  const on = (database: string) =>
    PostgresClient.layer({ address: Redacted.make(`${server.url}/${database}`), maxConnections: 2 })
  await Effect.runPromise(
    Effect.provide(
      SqlClient.use((sql) => sql.unsafe(`CREATE DATABASE ${name}`)),
      on("postgres")
    )
  )
  const store = Composition.layerStore(Redacted.make(secret)).pipe(
    Layer.provideMerge(Layer.merge(on(name), NodeDigest.layer))
  )
  await Effect.runPromise(Effect.provide(Effect.andThen(migrate, createAccounts), store))
  return `${server.url}/${name}`
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)

interface Gateway {
  readonly name: string
  readonly port: number
  /** The process that was started. */
  readonly pid: number
  readonly stop: () => Promise<void>
}

const start = async (name: string, bundle: string, workers: number, store: string): Promise<Gateway> => {
  const port = await freePort()
  const child = spawn(process.execPath, [bundle, "start", "--workers", String(workers)], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: "production",
      TOLLGATE_CONFIG: config,
      TOLLGATE_DATA: mkdtempSync(join(folder, "data-")),
      TOLLGATE_LOG_LEVEL: "error",
      TOLLGATE_PORT: String(port),
      TOLLGATE_SECRET: Buffer.from(secret).toString("base64"),
      TOLLGATE_STORE: store
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  await new Promise<void>((resolve, reject) => {
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part
      if (text.includes("Ctrl-C") && (workers === 1 || text.includes("workers"))) resolve()
    })
    void ended.then(() => reject(new Error(`the gateway did not start: ${text}`)))
  })
  const stop = () => {
    child.kill("SIGTERM")
    return ended
  }
  return { name, port, pid: child.pid!, stop }
}

const requestOf = (key: string, ...headers: ReadonlyArray<string>): Buffer =>
  Buffer.from(
    post(path, question, headers)
      .toString()
      .replace(/Bearer \S+/, `Bearer ${key}`)
  )

interface Answers {
  readonly answered: number
  readonly failed: number
}

/** One call after the other, each on a connection of its own. */
const loadOnNewConnections = async (port: number, key: string): Promise<Answers> => {
  const request = requestOf(key, "connection: close")
  const ends = performance.now() + millis
  const call = () =>
    new Promise<boolean>((resolve) => {
      let text = ""
      const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => void socket.write(request))
      socket.on("data", (part) => (text += part.toString("latin1")))
      socket.on("error", () => {})
      socket.on("close", () => resolve(text.startsWith("HTTP/1.1 200")))
    })
  let answered = 0
  let failed = 0
  while (performance.now() < ends) {
    if (await call()) answered++
    else failed++
  }
  return { answered, failed }
}

const loads = {
  kept: (port: number, key: string) => load(port, 1, millis, requestOf(key)),
  "one a call": loadOnNewConnections
}

interface Measured {
  readonly answered: number
  readonly perSecond: number
  readonly failed: number
  /** Processor time of a call in microseconds. */
  readonly ofWorkers: number
  readonly ofPrimary: number
  readonly ofServer: number
  /** The part of the workers' processor time that the busiest used. */
  readonly busiest: number
}

const serverProcesses = (): Promise<ReadonlyArray<number>> =>
  Effect.runPromise(
    SqlClient.use(
      (sql) => sql<{ readonly pid: number }>`SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()`
    ).pipe(
      Effect.map((found) => found.map(({ pid }) => pid)),
      Effect.provide(PostgresClient.layer({ address: Redacted.make(`${server.url}/postgres`), maxConnections: 1 }))
    )
  )

/** Returns what they have used since. One that ends meanwhile, as idle connections do, is not counted. */
const cpuSince = (pids: ReadonlyArray<number>) => {
  const before = pids.map((pid) => cpuMillis([pid]))
  return () => pids.reduce((sum, pid, i) => sum + Math.max(0, cpuMillis([pid]) - before[i]!), 0)
}

const measure = async ({ pid, port }: Gateway, kind: keyof typeof loads): Promise<Measured> => {
  const children = childrenOf(pid)
  const workers = children.length === 0 ? [pid] : children
  const primary = children.length === 0 ? [] : [pid]
  const sinceOf = [primary, await serverProcesses(), ...workers.map((worker) => [worker])].map(cpuSince)
  const begun = performance.now()
  const answers = await Promise.all(keys.map((key) => loads[kind](port, key)))
  const seconds = (performance.now() - begun) / 1_000
  const sum = (of: keyof Answers) => answers.reduce((sum, answer) => sum + answer[of], 0)
  const [byPrimary = 0, byServer = 0, ...byWorkers] = sinceOf.map((since) => since())
  const byAll = byWorkers.reduce((a, b) => a + b, 0)
  const answered = sum("answered")
  const micros = (millis: number) => (millis * 1_000) / answered
  return {
    answered,
    perSecond: answered / seconds,
    failed: sum("failed"),
    ofWorkers: micros(byAll),
    ofPrimary: micros(byPrimary),
    ofServer: micros(byServer),
    busiest: Math.max(...byWorkers) / byAll
  }
}

/** Until the code is compiled, which takes longer on a busy machine. */
const warmUp = async (gateway: Gateway, kind: keyof typeof loads): Promise<void> => {
  const latest = performance.now() + warmUpMillis
  for (let calls = 0; calls < warmUpCalls && performance.now() < latest;)
    calls += (await measure(gateway, kind)).answered
}

const compare = async (gateways: ReadonlyArray<Gateway>, kind: keyof typeof loads) => {
  const taken = new Map<Gateway, Array<Measured>>(gateways.map((gateway) => [gateway, []]))
  for (const gateway of gateways) await warmUp(gateway, kind)
  for (let round = 0; round < rounds; round++) {
    for (const gateway of round % 2 === 0 ? gateways : gateways.toReversed()) {
      taken.get(gateway)?.push(await measure(gateway, kind))
    }
  }
  console.log(
    `${connections} connections, ${kind}, medians of ${rounds} alternating rounds of ${millis / 1_000} s,` +
      ` ${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}`
  )
  const rows = [...taken].map(([{ name }, runs]) => {
    const of = (what: keyof Measured) => median(runs.map((run) => run[what]))
    return {
      gateway: name,
      "calls/s": Math.round(of("perSecond")),
      "workers CPU µs": Math.round(of("ofWorkers")),
      "primary CPU µs": Math.round(of("ofPrimary")),
      "PostgreSQL CPU µs": Math.round(of("ofServer")),
      "busiest worker": Number(of("busiest").toFixed(2)),
      failed: runs.reduce((sum, { failed }) => sum + failed, 0)
    }
  })
  console.table(rows)
  if (rows.some(({ failed }) => failed > 0)) process.exitCode = 1
}

await bundleGateway()
const bundles = [
  { of: "", bundle: gatewayProgram },
  ...positionals.map((other) => ({ of: ` of ${other}`, bundle: resolve(other, "apps/gateway/.bundle/main.js") }))
]
const gateways: Array<Gateway> = []
try {
  for (const workers of counts) {
    for (const { bundle, of } of bundles) {
      const store = await newDatabase(`workers_${gateways.length}`)
      gateways.push(await start(`--workers ${workers}${of}`, bundle, workers, store))
    }
  }
  for (const kind of ["kept", "one a call"] as const) await compare(gateways, kind)
} finally {
  await Promise.all(gateways.map(({ stop }) => stop()))
  upstream.stop()
  await server.stop()
}
process.exit()
