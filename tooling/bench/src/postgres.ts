import { findPostgres, startPostgres } from "@tollgate-tooling/programs/postgres.ts"
import { migrate } from "@tollgate/gateway"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { accounts } from "./accounts.ts"
import { median } from "./middle.ts"
import { cpuMillis } from "./cpu.ts"
import { load } from "./load.ts"
import { program } from "./program.ts"

// Decisions a second of the ledger on PostgreSQL, with one, two and three gateways, and what it adds to a lone call.
const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    seconds: { type: "string" },
    gateways: { type: "string" },
    "no-lone": { type: "boolean" }
  }
})
const rounds = Number(values.rounds ?? 3)
const millis = Number(values.seconds ?? 3) * 1_000
const counts = (values.gateways ?? "1,2,3").split(",").map(Number)
const inFlight = 192

const binaries = findPostgres()
if (binaries === undefined) {
  console.log("PostgreSQL is not installed.")
  process.exit(1)
}
const server = await startPostgres(binaries, { fsync: true })

const on = <A, E>(database: string, effect: Effect.Effect<A, E, SqlClient>): Promise<A> =>
  Effect.runPromise(
    Effect.provide(
      effect,
      PostgresClient.layer({ address: Redacted.make(`${server.url}/${database}`), maxConnections: 1 })
    )
  )

const credit = 1_000_000_000_000

/** What was measured counts only if nothing was lost or charged twice. */
const checkBooks = async (database: string): Promise<void> => {
  const [found] = await on(
    database,
    SqlClient.use((sql) =>
      sql.unsafe<{ readonly reserved: string; readonly total: string }>(
        "SELECT SUM(a.reserved)::TEXT AS reserved," +
          " (SUM(a.balance) + (SELECT COALESCE(SUM(charged), 0) FROM calls))::TEXT AS total FROM accounts a"
      )
    )
  )
  if (found?.reserved === "0" && found.total === String(credit * accounts.length)) return
  throw new Error(`the books do not add up: ${JSON.stringify(found)}`)
}

let databases = 0
/** Its tables are empty but for the accounts and keys. */
const newDatabase = async (): Promise<string> => {
  const name = `bench_${++databases}`
  await on(
    "postgres",
    SqlClient.use((sql) => sql.unsafe(`CREATE DATABASE ${name}`))
  )
  const fill = SqlClient.use((sql) =>
    Effect.forEach(accounts, (id) =>
      Effect.andThen(
        sql`INSERT INTO accounts ${sql.insert({ id, label: "", created_at: 0, balance: credit })}`,
        sql`INSERT INTO keys ${sql.insert({ id: `key_${id}`, account: id, hash: id, label: "", created_at: 0 })}`
      )
    )
  )
  await on(name, Effect.andThen(migrate, fill))
  return name
}

const startLedger = async (database: string): Promise<ChildProcess> => {
  const child = fork(join(import.meta.dirname, "programs/ledger.ts"), [`${server.url}/${database}`], {
    env: { ...process.env, NODE_ENV: "production" },
    serialization: "advanced"
  })
  await once(child, "message")
  return child
}

const runLedgers = async (ledgers: ReadonlyArray<ChildProcess>, forMillis: number): Promise<ReadonlyArray<number>> => {
  const begun = ledgers.map(async (ledger) => {
    ledger.send({ millis: forMillis, inFlight: inFlight / ledgers.length })
    const [{ took }] = (await once(ledger, "message")) as [{ readonly took: ReadonlyArray<number> }]
    return took
  })
  return (await Promise.all(begun)).flat()
}

const quantile = (sorted: ReadonlyArray<number>, q: number): number => sorted[Math.floor(sorted.length * q)] ?? 0

interface Measured {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Processor time of a decision in microseconds. It says what the machine could do if nothing else ran on it. */
  readonly ofServer: number
  readonly ofGateways: number
}

const serverProcesses = (database: string): Promise<ReadonlyArray<number>> =>
  on(
    database,
    Effect.map(
      SqlClient.use((sql) => sql<{ readonly pid: number }>`SELECT pid FROM pg_stat_activity`),
      (found) => found.map(({ pid }) => pid)
    )
  )

const measure = async (gateways: number): Promise<Measured> => {
  const database = await newDatabase()
  const ledgers = await Promise.all(Array.from({ length: gateways }, () => startLedger(database)))
  // Until the code is compiled, which takes longer on a busy machine.
  for (let warm = 0, tries = 0; warm < 10_000 * gateways && tries < 6; tries++) {
    warm += (await runLedgers(ledgers, 1_000)).length
  }
  const processes = [await serverProcesses(database), ledgers.flatMap(({ pid }) => pid ?? [])]
  const before = processes.map(cpuMillis)
  const begun = performance.now()
  const took = (await runLedgers(ledgers, millis)).toSorted((a, b) => a - b)
  const perSecond = (took.length * 1_000) / (performance.now() - begun)
  const [ofServer = 0, ofGateways = 0] = processes.map(
    (pids, i) => ((cpuMillis(pids) - before[i]!) * 1_000) / took.length
  )
  await checkBooks(database)
  for (const ledger of ledgers) ledger.disconnect()
  await Promise.all(ledgers.map((ledger) => ledger.exitCode ?? once(ledger, "exit")))
  return { perSecond, p50: quantile(took, 0.5), p99: quantile(took, 0.99), ofServer, ofGateways }
}

const decisions = async () => {
  for (const gateways of counts) {
    const runs: Array<Measured> = []
    for (let round = 0; round < rounds; round++) runs.push(await measure(gateways))
    const of = (what: keyof Measured) => median(runs.map((run) => run[what]))
    console.log(
      `${inFlight} in flight over ${accounts.length} accounts, ${gateways} gateways, medians of ${rounds} rounds,` +
        ` load ${loadavg()[0]!.toFixed(1)}`
    )
    console.table([
      {
        "decisions/s": Math.round(of("perSecond")),
        "p50 ms": Number(of("p50").toFixed(2)),
        "p99 ms": Number(of("p99").toFixed(2)),
        "server CPU µs": Math.round(of("ofServer")),
        "gateways CPU µs": Math.round(of("ofGateways"))
      }
    ])
  }
}

const loneCall = async () => {
  const upstream = await program("upstream")
  const address = `http://127.0.0.1:${upstream.port}`
  const database = await newDatabase()
  const contestants = [
    { name: "embedded", at: await program("tollgate", address, "billing") },
    { name: "PostgreSQL", at: await program("tollgate", address, "billing", address, `${server.url}/${database}`) }
  ]
  for (const { at } of contestants) await load(at.port, 16, 4_000)
  const taken = new Map<string, Array<number>>(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < 2 * rounds + 1; round++) {
    for (const { at, name } of round % 2 === 0 ? contestants : contestants.toReversed()) {
      taken.get(name)?.push((await load(at.port, 1, millis / 4)).p50)
    }
  }
  const of = (name: string) => median(taken.get(name) ?? [])
  console.log(`a lone call through the whole gateway, medians of ${2 * rounds + 1} rounds`)
  console.table(
    contestants.map(({ name }) => ({
      store: name,
      "p50 ms": Number(of(name).toFixed(2)),
      "more than embedded": Number((of(name) - of("embedded")).toFixed(2))
    }))
  )
  for (const { at } of contestants) at.stop()
  upstream.stop()
}

try {
  await decisions()
  if (values["no-lone"] !== true) await loneCall()
} finally {
  await server.stop()
}
process.exit(0)
