import { hostname } from "node:os"
import type { Database } from "./Database.ts"
import type { CallInFlight, GatewayProcess } from "./GatewayProcess.ts"
import type { limitedLoad } from "./limitedLoad.ts"
import type { load } from "./load.ts"
import { pause, pick, type Random } from "./seeded.ts"

/** A server that can be ended as by a crash, and started again. */
export interface Restartable {
  readonly crash: () => Promise<void>
  readonly start: () => Promise<void>
}

export interface Counts {
  readonly kills: number
  readonly databaseStops: number
  readonly redisStops: number
  readonly pauses: number
}

export interface Scene {
  readonly random: Random
  readonly gateways: ReadonlyArray<GatewayProcess>
  readonly database: Database
  readonly postgres: Restartable
  readonly redis: Restartable | undefined
  readonly load: ReturnType<typeof load>
  readonly limited: ReturnType<typeof limitedLoad>
  readonly deadMillis: number
  readonly say: (text: string) => void
}

/** What goes wrong, in random order under load, until every fault has had its turn and all is up again. */
export const makeFaults = (scene: Scene) => {
  const { database, deadMillis, gateways, limited, load, postgres, random, redis, say } = scene
  const restarts = new Set<Promise<void>>()
  const recoveries: Array<Promise<number>> = []
  /** Calls that a gateway had when it was told to stop. */
  const hadWhenStopped: Array<CallInFlight> = []

  /** From the kill until others have ended what the gateway left. */
  const watchRecovery = async (pid: number): Promise<number> => {
    const name = `${hostname()}:${pid}`
    const startedAt = performance.now()
    const owners = `SELECT id FROM gateways WHERE name = '${name}'`
    const ids = (await database.ask(owners)).map(({ id }) => `'${String(id)}'`)
    if (ids.length === 0) return 0
    const left = `SELECT 1 AS n FROM calls WHERE state = 'open' AND owner IN (${ids.join()}) UNION ALL ${owners.replace("id", "1")}`
    while ((await database.ask(left)).length > 0) await pause(50)
    return performance.now() - startedAt
  }

  const restart = (gateway: GatewayProcess, after: number) => {
    const started = pause(after)
      .then(() => gateway.start())
      .finally(() => restarts.delete(started))
    restarts.add(started)
  }

  const aRunning = async (): Promise<GatewayProcess> => {
    for (;;) {
      const running = gateways.filter(({ isReady }) => isReady)
      if (running.length > 0) return pick(random, running)
      await pause(20)
    }
  }

  const kill = async () => {
    const gateway = await aRunning()
    say(`kill -9 ${gateway.name}`)
    const { pid } = gateway
    await gateway.end("SIGKILL")
    recoveries.push(watchRecovery(pid))
    restart(gateway, random() * 800)
  }

  /** Sometimes the next fault comes before it is back. */
  const killOne = async () => {
    await kill()
    if (random() < 0.4) await Promise.all(restarts)
  }

  const stopDatabase = async () => {
    await limited.close()
    say("PostgreSQL stops at once")
    await postgres.crash()
    // Sometimes so long that every gateway seems dead to the others.
    await pause(random() * deadMillis * 1.5)
    if (random() < 0.3) await kill()
    await postgres.start()
    await Promise.all(restarts)
    await limited.open()
  }

  const stopRedis = async () => {
    if (redis === undefined) return
    await limited.close()
    say("Redis is killed")
    await redis.crash()
    await limited.open({ duringLoss: true })
    await load.more(40)
    await limited.close()
    say("Redis is back")
    await redis.start()
    await limited.open()
  }

  /** Longer than the dead time, so that others settle what it has, and it goes on. */
  const pauseGateway = async () => {
    const gateway = await aRunning()
    say(`SIGSTOP ${gateway.name}`)
    gateway.signal("SIGSTOP")
    const name = `${hostname()}:${gateway.pid}`
    while ((await database.ask(`SELECT 1 AS n FROM gateways WHERE name = '${name}'`)).length > 0) await pause(50)
    await load.more(20)
    gateway.signal("SIGCONT")
    while ((await database.ask(`SELECT 1 AS n FROM gateways WHERE name = '${name}'`)).length === 0) await pause(50)
  }

  /** As an operator upgrades: each leaves the rotation, ends what it has, and comes back. */
  const rollingRestart = async () => {
    await Promise.all(restarts)
    for (const gateway of gateways) {
      say(`rolling restart of ${gateway.name}`)
      gateway.isInRotation = false
      hadWhenStopped.push(...gateway.inFlight)
      await gateway.end("SIGTERM")
      await gateway.start()
      await load.more(20)
    }
  }

  const run = async ({ databaseStops, kills, pauses, redisStops }: Counts) => {
    const plan = [
      ...Array.from({ length: kills }, () => killOne),
      ...Array.from({ length: databaseStops }, () => stopDatabase),
      ...Array.from({ length: redisStops }, () => stopRedis),
      ...Array.from({ length: pauses }, () => pauseGateway)
    ]
    while (plan.length > 0) {
      await load.more(10 + Math.floor(random() * 40))
      const [fault] = plan.splice(Math.floor(random() * plan.length), 1)
      await fault?.()
    }
    await Promise.all(restarts)
    await rollingRestart()
  }

  return {
    run,
    /** Milliseconds. */
    recoveries: () => Promise.all(recoveries),
    lostByRolling: () => hadWhenStopped.filter(({ isCut }) => isCut).length
  }
}
