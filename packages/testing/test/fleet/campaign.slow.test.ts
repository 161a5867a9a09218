import type { Attempt } from "@tollgate/testing/fleet/Attempt"
import { contradictions } from "@tollgate/testing/fleet/books"
import { campaign, lowRpm } from "@tollgate/testing/fleet/campaign"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { findPostgres, startPostgres } from "@tollgate-tooling/programs/postgres.ts"
import { findRedis, startRedis } from "@tollgate-tooling/programs/redis.ts"

// The full campaign: FLEET_KILLS=100 FLEET_DATABASE_STOPS=10 pnpm test fleet/campaign
const setting = (name: string, otherwise: number) => Number(process.env[`FLEET_${name}`] ?? otherwise)
const kills = setting("KILLS", 1)
const databaseStops = setting("DATABASE_STOPS", 1)
const pauses = setting("PAUSES", 0)
const seed = setting("SEED", 1)
const binaries = findPostgres()
const redisServer = findRedis()
const redisStops = redisServer === undefined ? 0 : setting("REDIS_STOPS", 1)

const tally = (names: ReadonlyArray<string>): string => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ")
}

const endOf = ({ code, end, status }: Attempt): string =>
  end === "answered" ? `${status}${code === undefined ? "" : ` ${code}`}` : end

describe.runIf(binaries !== undefined)(`three gateways on PostgreSQL, with seed ${seed}`, () => {
  it(
    `lose and double nothing while ${kills} are killed, PostgreSQL stops ${databaseStops} and Redis ${redisStops} times, and ${pauses} hang`,
    { timeout: 300_000 + (kills + databaseStops + redisStops + pauses) * 60_000 },
    async ({ onTestFinished }) => {
      const folder = mkdtempSync(join(tmpdir(), "tollgate-fleet-"))
      const keep = process.env.FLEET_KEEP !== undefined
      if (!keep) onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const startedAt = performance.now()
      const say = (text: string) => {
        if (keep) console.log(`${((performance.now() - startedAt) / 1000).toFixed(1)} s ${text}`)
      }
      const postgres = await startPostgres(binaries ?? "", { fsync: true })
      onTestFinished(postgres.stop)
      const redis = redisServer === undefined ? undefined : await startRedis(redisServer)
      onTestFinished(async () => redis?.stop())
      say(folder)
      const books = await campaign({
        folder,
        store: `${postgres.url}/postgres`,
        postgres,
        redis,
        kills,
        databaseStops,
        redisStops,
        pauses,
        seed,
        callers: setting("CALLERS", 6),
        deadSeconds: setting("DEAD_SECONDS", 2),
        say
      })
      const { accounts, attempts, audit, calls, executions, lostByRolling, races, recoveries, windows } = books
      const replays = attempts.filter(({ isReplayed, status }) => status === 200 && isReplayed === true)
      const admitted = windows.map(({ intents }) => executions.filter(({ intent }) => intents.has(intent)).length)
      const allowed = windows.map(
        ({ from, losses, until }) => lowRpm + Math.ceil((lowRpm * (until - from)) / 60_000) + losses * lowRpm
      )
      console.log(
        [
          `seed ${seed}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
          `asked: ${tally(attempts.map(endOf))}`,
          `replayed: ${tally(replays.map(({ intent }) => `${intent.kind} ${intent.countsAttempts ? "to an SDK's retry" : "by its key"}`))}`,
          `ledger: ${tally(calls.map(({ state }) => state))}; upstream: ${tally(executions.map(({ kind }) => kind))}`,
          `admitted of the low limits: ${admitted.map((count, i) => `${count} of at most ${allowed[i]}`).join(", ")}`,
          `what a killed one left was ended after ${recoveries.map((millis) => (millis / 1000).toFixed(1)).join(", ")} s`
        ].join("\n  ")
      )

      expect(contradictions(books)).toEqual([])
      expect(books.tasks).not.toEqual([])
      for (const bySdk of [false, true]) {
        expect(replays.filter(({ intent }) => intent.countsAttempts === bySdk)).not.toEqual([])
      }
      expect(audit.differences).toEqual([])
      for (const { balance, credited, id, reserved } of accounts) {
        const own = calls.filter(({ account }) => account === id)
        const charged = own.reduce((sum, call) => sum + call.charged, 0)
        expect({ id, balance, reserved }).toEqual({ id, balance: credited - charged, reserved: 0 })
      }
      admitted.forEach((count, i) => expect(count).toBeLessThanOrEqual(allowed[i] ?? 0))
      expect(lostByRolling).toBe(0)
      expect(races.balance.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(new Set(races.balance.map(({ code }) => code))).toEqual(new Set([undefined, "insufficient_balance"]))
      expect(races.idempotency.filter(({ isReplayed, status }) => status === 200 && isReplayed !== true)).toHaveLength(
        1
      )
    }
  )
})
