import { migrate } from "@tollgate/gateway"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { findPostgres, startPostgres } from "../../programs/postgres.ts"
import { findRedis, startRedis } from "../../programs/redis.ts"

// Admissions in a second where limits are counted: in memory, PostgreSQL and Redis, by one and by three processes.
const { values } = parseArgs({ options: { seconds: { type: "string" } } })
const seconds = values.seconds ?? "3"

const program = join(import.meta.dirname, "programs/limits.ts")
const run = async (place: string, path: string): Promise<number> =>
  Number((await promisify(execFile)(process.execPath, [program, place, path, seconds])).stdout)

const together = async (count: number, place: string, path: string): Promise<number> => {
  const rates = await Promise.all(Array.from({ length: count }, () => run(place, path)))
  return rates.reduce((sum, rate) => sum + rate, 0)
}

const binaries = findPostgres()
const postgres = binaries === undefined ? undefined : await startPostgres(binaries)
const redisServer = findRedis()
const redis = redisServer === undefined ? undefined : await startRedis(redisServer)
const places: Array<readonly [string, string]> = [["memory", "memory"]]
if (postgres !== undefined) {
  const address = `${postgres.url}/postgres`
  await Effect.runPromise(
    Effect.provide(migrate, PostgresClient.layer({ address: Redacted.make(address), maxConnections: 1 }))
  )
  places.push(["PostgreSQL", address])
}
if (redis !== undefined) places.push(["Redis", redis.url])

for (const [what, path] of [
  ["requests per minute", "/v1/rerank"],
  ["and a call at a time", "/v1/chat/completions"]
] as const) {
  console.log(`\n${what.padEnd(22)}one process        three`)
  let first: number | undefined
  for (const [name, place] of places) {
    const one = await together(1, place, path)
    const three = await together(3, place, path)
    first ??= one
    const shown = (rate: number) =>
      `${Math.round(rate).toLocaleString("en")}/s (${(rate / (first ?? rate)).toFixed(2)})`.padStart(18)
    console.log(`${name.padEnd(15)}${shown(one)}${shown(three)}`)
  }
}
await Promise.all([postgres?.stop(), redis?.stop()])
