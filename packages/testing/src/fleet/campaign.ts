import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Agent } from "undici"
import { openDatabase } from "./Database.ts"
import { startUpstream } from "./executions.ts"
import { type Counts, makeFaults, type Restartable } from "./faults.ts"
import { GatewayProcess } from "./GatewayProcess.ts"
import { limitedLoad } from "./limitedLoad.ts"
import { load } from "./load.ts"
import { race } from "./race.ts"
import { resolve } from "./resolve.ts"
import { pause, seeded } from "./seeded.ts"
import type { Call } from "./books.ts"

export interface Plan extends Counts {
  readonly folder: string
  readonly store: string
  readonly postgres: Restartable
  readonly redis: (Restartable & { readonly url: string }) | undefined
  readonly seed: number
  readonly callers: number
  readonly deadSeconds: number
  readonly say: (text: string) => void
}

/** The limit of the keys in `windows`, in requests per minute. */
export const lowRpm = 30

const config = (baseUrl: string) => ({
  upstreams: {
    models: { baseUrl, protocol: "openai", private: true },
    data: { baseUrl, protocol: "json", private: true },
    videos: { baseUrl, protocol: "task", private: true }
  },
  routes: [
    { operation: "chat.completions", to: [{ upstream: "models" }] },
    { operation: "rerank", to: [{ upstream: "data" }] },
    { operation: "video.create", to: [{ upstream: "videos" }] }
  ],
  prices: {
    models: { m: { input: "1", output: "1" } },
    operations: { rerank: { perMillion: "1" }, "video.create": { amount: "0.05" } }
  },
  operations: [
    {
      id: "data.echo",
      summary: "Echo",
      category: "web traffic",
      method: "POST",
      path: "/apis/v1/echo",
      parameters: [{ name: "text", type: "string" }],
      price: { amount: "0.01" },
      upstream: "data"
    }
  ]
})

const accountCount = 6

/** Bounds a failure: calls that stay open are found by the comparison. */
const mostWaitMillis = 120_000

/** Runs three gateways under load, makes everything fail, and returns what each side says of it afterwards. */
export const campaign = async (plan: Plan) => {
  const { callers, deadSeconds, folder, postgres, redis, say, seed } = plan
  const random = seeded(seed)
  const secret = randomBytes(32)
  const database = openDatabase(plan.store, secret)
  const upstream = await startUpstream(join(folder, "executions.jsonl"))
  const file = join(folder, "tollgate.jsonc")
  writeFileSync(file, JSON.stringify(config(upstream.baseUrl)))
  const env = {
    TOLLGATE_STORE: plan.store,
    TOLLGATE_SECRET: secret.toString("base64"),
    TOLLGATE_CONFIG: file,
    TOLLGATE_DEAD_SECONDS: String(deadSeconds),
    // For calls that were on their way when a stop began.
    TOLLGATE_DRAIN_SECONDS: "1",
    ...(redis === undefined ? {} : { TOLLGATE_REDIS: redis.url })
  }
  const many = (count: number, rpm: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => database.account(`account ${n}`, 10_000n, rpm)))
  await database.ask("SELECT 1")
  const gateways = ["a", "b", "c"].map((name) => new GatewayProcess(name, env, folder))
  const dispatcher = new Agent({ connections: callers * 2 + 200, pipelining: 1, keepAliveTimeout: 500 })
  try {
    const accounts = await many(accountCount, 10_000_000)
    const limitedAccounts = await many(1 + plan.databaseStops + 2 * plan.redisStops, lowRpm)
    const [racer, repeater] = await many(2, 10_000_000)
    await Promise.all(gateways.map((gateway) => gateway.start()))
    say("three gateways run")

    const keys = accounts.map(({ key }) => key)
    const loaded = load({ dispatcher, gateways, keys, callers, seed })
    const limited = limitedLoad({
      dispatcher,
      gateways,
      keys: limitedAccounts.map(({ key }) => key),
      callers: 3,
      random: seeded(seed + 1),
      databaseTime: database.time
    })
    await limited.open()
    const faults = makeFaults({
      random,
      gateways,
      database,
      postgres,
      redis,
      load: loaded,
      limited,
      deadMillis: deadSeconds * 1_000,
      say
    })
    await faults.run(plan)
    await limited.close()
    const tasks = await loaded.stop()
    const recoveries = await faults.recoveries()
    say("all is up again, and quiet")

    const resolved = await resolve(dispatcher, gateways, loaded.attempts)
    if (racer === undefined || repeater === undefined) throw new Error("unreachable")
    await database.adjustTo(racer.id, 10_000n)
    const races = {
      balance: await race(dispatcher, gateways, racer.key),
      idempotency: await race(dispatcher, gateways, repeater.key, "one-for-all")
    }
    const unended = "SELECT 1 AS n FROM calls WHERE state IN ('open', 'running') LIMIT 1"
    const until = performance.now() + mostWaitMillis
    while (performance.now() < until && (await database.ask(unended)).length > 0) await pause(50)

    const rows = await database.ask(
      "SELECT id, account, operation, state, cost_state, reserved, charged FROM calls WHERE owner <> ''"
    )
    const calls = rows.map((row): Call => ({
      id: String(row["id"]),
      account: String(row["account"]),
      operation: String(row["operation"]),
      state: String(row["state"]),
      costState: row["cost_state"] === null ? null : String(row["cost_state"]),
      reserved: Number(row["reserved"]),
      charged: Number(row["charged"])
    }))
    const balances = await database.ask(
      "SELECT id, balance, reserved, (SELECT SUM(amount) FROM entries e WHERE e.account = a.id) AS credited FROM accounts a"
    )
    return {
      attempts: [...loaded.attempts, ...resolved],
      tasks,
      windows: limited.windows,
      executions: upstream.executions(),
      calls,
      accounts: balances.map((row) => ({
        id: String(row["id"]),
        balance: Number(row["balance"]),
        reserved: Number(row["reserved"]),
        credited: Number(row["credited"] ?? 0)
      })),
      audit: await database.audit(),
      races,
      recoveries,
      lostByRolling: faults.lostByRolling()
    }
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.end("SIGKILL")))
    await dispatcher.destroy()
    upstream.stop()
    await database.close()
  }
}
