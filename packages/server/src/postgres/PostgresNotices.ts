import { Notices, type Notice, noticeChannel, parseNotice } from "@tollgate/gateway/driver"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import type { Client, ClientConfig } from "pg"
import { parse, shown } from "./address.ts"
import { connectionError, sqlError } from "./error.ts"
import { refuseReadOnly, type Servers, serversOf } from "./session.ts"

const pauseMillis = 500
/** A connection on which nothing comes may be dead: it is asked. */
const checkMillis = 5_000

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis).unref())

/** Listens in a session of its own, and makes it again if it is lost. */
class Listener {
  readonly #servers: Servers
  readonly #tell: (notice: Notice) => void
  #client: Client | undefined
  #isClosed = false

  constructor(servers: Servers, tell: (notice: Notice) => void) {
    this.#servers = servers
    this.#tell = tell
  }

  /** Returns when it listens. Tries each server once. */
  async connect(): Promise<void> {
    for (let left = this.#servers.count; ;) {
      const server = this.#servers.current
      try {
        return await this.#connectTo(server)
      } catch (error) {
        this.#servers.failed(server)
        if (--left === 0) throw error
      }
    }
  }

  async #connectTo(server: ClientConfig): Promise<void> {
    const { Client } = await import("pg")
    const client = new Client({ ...server, application_name: "tollgate notices", query_timeout: checkMillis })
    client.on("error", () => {})
    client.on("notification", ({ payload = "" }) => {
      const notice = parseNotice(payload)
      if (notice !== undefined) this.#tell(notice)
    })
    try {
      await client.connect()
      if (this.#servers.count > 1) await refuseReadOnly(client)
      await client.query(`LISTEN ${noticeChannel}`)
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    if (this.#isClosed) return await client.end()
    this.#client = client
    const isAlive = () => (this.#servers.count > 1 ? refuseReadOnly(client) : client.query("SELECT 1"))
    const check = setInterval(() => void isAlive().catch(() => client.end()), checkMillis).unref()
    client.once("end", () => {
      clearInterval(check)
      void this.#again()
    })
  }

  async #again(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.connect()
        return this.#tell({ kind: "missed" })
      } catch {
        await pause(pauseMillis)
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#client?.end().catch(() => {})
  }
}

const make = Effect.fnUntraced(function* (given: Redacted.Redacted) {
  const address = parse(given)
  if (Result.isFailure(address)) return yield* Effect.fail(connectionError("listen", address.failure))
  const failed = (cause: unknown) => sqlError(cause, "listen", `cannot use PostgreSQL at ${shown(address.success)}: `)
  const servers = yield* Effect.try({
    try: () => serversOf(address.success, { connectMillis: 5_000, statementMillis: 0 }),
    catch: failed
  })
  const runs: Array<(notice: Notice) => void> = []
  const listener = new Listener(servers, (notice) => runs.forEach((run) => run(notice)))
  yield* Effect.acquireRelease(Effect.tryPromise({ try: () => listener.connect(), catch: failed }), () =>
    Effect.promise(() => listener.close())
  )
  return Notices.of({ listen: (run) => void runs.push(run) })
})

/** Notices by LISTEN, over a connection of its own. */
export const layer = (address: Redacted.Redacted): Layer.Layer<Notices, SqlError> =>
  Layer.effect(Notices, make(address))
