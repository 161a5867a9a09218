import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { LimitStoreError } from "@tollgate/gateway/driver"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { parseUrl } from "../parseUrl.ts"
import type { Script } from "./script.ts"

interface Address {
  readonly host: string
  readonly port: number
  readonly username: string | undefined
  readonly password: Redacted.Redacted | undefined
  readonly database: number
  readonly isTls: boolean
}

/** Reads `redis://user:password@host:port/database`. A failure never shows the address or a part of it. */
export const parse = (text: Redacted.Redacted): Result.Result<Address, string> => {
  const url = parseUrl(Redacted.value(text), "redis:", "rediss:")
  if (url === undefined) {
    return Result.fail("expected redis://user:password@host:port/database or rediss://…, percent-encoded")
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  if (host === "") return Result.fail("the host is needed")
  if (host.includes(",")) return Result.fail("only one host is supported")
  if (url.search !== "" || url.hash !== "") return Result.fail("nothing is known after ? or #")
  if (!/^\/?(?:\d{1,5})?$/.test(url.pathname)) return Result.fail("the database is a number, such as /0")
  return Result.succeed({
    host,
    port: url.port === "" ? 6379 : Number(url.port),
    username: url.username === "" ? undefined : decodeURIComponent(url.username),
    password: url.password === "" ? undefined : Redacted.make(decodeURIComponent(url.password)),
    database: Number(url.pathname.slice(1)),
    isTls: url.protocol === "rediss:"
  })
}

/** Without user and password, for messages. */
const shown = ({ database, host, port }: Address): string => `${host}:${port}/${database}`

interface Given {
  readonly keys: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
}

/** One connection. It connects again by itself, and commands fail at once while it is lost. */
export interface Redis {
  readonly send: (...args: ReadonlyArray<string>) => Promise<unknown>
  /** Sends the text of a script only if Redis does not know it; then what is `given` is asked for again. */
  readonly evaluate: (script: Script, given: () => Given) => Promise<unknown>
}

const connectMillis = 1_000
const mostReconnectMillis = 1_000

/** How long the start waits for the first connection. */
const firstMillis = 3_000

/** What only the operator can change. */
const isRefusal = (error: Error): boolean => /^(?:WRONGPASS|NOAUTH|NOPERM|ERR )/.test(error.message)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Fails if Redis refuses the connection. A Redis that cannot be reached is waited for in the background. */
export const connect = Effect.fnUntraced(function* (address: Address): Effect.fn.Return<Redis, LimitStoreError, Scope> {
  // Loaded here, so that a gateway without Redis does not load it.
  const { createClient } = yield* Effect.promise(() => import("redis"))
  const { database, host, isTls, password, port, username } = address
  const common = {
    host,
    port,
    connectTimeout: connectMillis,
    reconnectStrategy: (retries: number) => Math.min(50 * 2 ** Math.min(retries, 10), mostReconnectMillis)
  }
  const client = createClient({
    socket: isTls ? { ...common, tls: true as const, servername: host } : common,
    database,
    disableOfflineQueue: true,
    name: "tollgate",
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password: Redacted.value(password) })
  })

  const refused = new Promise<Error>((resolve) =>
    client.on("error", (error: Error) => {
      if (isRefusal(error)) resolve(error)
    })
  )
  const connected = client.connect().then(
    () => undefined,
    (error: Error) => error
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
  const problem = yield* Effect.timeoutOption(
    Effect.promise(() => Promise.race([refused, connected])),
    firstMillis
  )
  if (Option.isSome(problem) && problem.value instanceof Error) {
    const message = `cannot use Redis at ${shown(address)}: ${messageOf(problem.value)}`
    return yield* new LimitStoreError({ message })
  }

  const send = (...args: ReadonlyArray<string>): Promise<unknown> => client.sendCommand([...args])
  return {
    send,
    evaluate: async (script, given) => {
      const evaluate = (): Promise<unknown> => {
        const { args, keys } = given()
        return send("EVALSHA", script.sha, String(keys.length), ...keys, ...args)
      }
      try {
        return await evaluate()
      } catch (error) {
        if (!messageOf(error).startsWith("NOSCRIPT")) throw error
        await send("SCRIPT", "LOAD", script.text)
        return await evaluate()
      }
    }
  }
})
