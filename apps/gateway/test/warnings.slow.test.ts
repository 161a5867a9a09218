import { PostgresClient } from "@tollgate/server/postgres"
import { hasRedis, redisUrl } from "@tollgate/testing/limits/redis"
import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import { countOf } from "@tollgate-tooling/programs/counts.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { connect, type Socket } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders } from "./program.ts"
import { programs } from "./programs.ts"

const scope = Scope.makeUnsafe()
const run = programs()
afterAll(removeFolders)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const requests = countOf("WARNING_REQUESTS", 40, 400)

interface Asked {
  readonly path?: string
  readonly headers?: ReadonlyArray<string>
  readonly body?: object
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** What callers do to one connection. Each resolves when it is over. */
const loads = (address: string, key: string) => {
  const { hostname, port } = new URL(address)
  const text = ({ body = { query: "why", documents: ["a"] }, headers = [], path = "/v1/rerank" }: Asked = {}) => {
    const json = JSON.stringify(body)
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${key}`,
      "Content-Type: application/json",
      "Accept: application/json, text/event-stream",
      ...headers
    ]
    return `${head.join("\r\n")}\r\nContent-Length: ${json.length}\r\n\r\n${json}`
  }
  const chat = (scenario: string, stream = true) =>
    text({
      path: "/v1/chat/completions",
      headers: [`X-Tollgate-Scenario: ${scenario}`],
      body: { model: "sandbox", stream, messages: [{ role: "user", content: "Why?" }] }
    })
  const open = () => connect(Number(port), hostname).on("error", () => {})
  /** Resolves when so many answers have begun, or the connection is closed. */
  const counting = (socket: Socket) => {
    let answers = 0
    let told = () => {}
    socket.on("close", () => told())
    socket.on("data", (data) => {
      answers += data.toString("latin1").split("HTTP/1.1 ").length - 1
      told()
    })
    return (count: number) =>
      new Promise<void>((resolve) => {
        told = () => void ((answers >= count || socket.destroyed) && resolve())
        told()
      })
  }
  const send = async (what: ReadonlyArray<string>, leaveAfter?: number) => {
    const socket = open()
    const answered = counting(socket)(what.length)
    socket.write(what.join(""))
    await (leaveAfter === undefined ? answered : Promise.race([answered, pause(leaveAfter)]))
    socket.destroy()
  }
  const many = (count: number, one: () => Promise<void>) => Promise.all(Array.from({ length: count }, one))
  const tools = (method: string) => text({ path: "/mcp", body: { jsonrpc: "2.0", id: 1, method, params: {} } })

  return {
    "one after the other on a connection": async () => {
      const socket = open()
      const answered = counting(socket)
      for (let i = 0; i < requests; i++) {
        socket.write(text())
        await answered(i + 1)
      }
      socket.destroy()
    },
    pipelined: () => send(Array.from({ length: requests }, () => text())),
    "pipelined behind a slow call, and left": () =>
      send([chat("slow; ms=300"), ...Array.from({ length: requests }, () => text())], 100),
    "streams on a connection": () => send(Array.from({ length: 20 }, () => chat("interval; ms=1"))),
    "streams that are left": () => many(requests, () => send([chat("interval; ms=20")], 60)),
    "streams that nobody reads": () =>
      many(5, async () => {
        const socket = open().pause()
        socket.write(chat("long; events=20000"))
        await pause(300)
        socket.destroy()
      }),
    "calls that are left": () => many(requests, () => send([chat("slow; ms=200", false)], 20)),
    "upstreams that stall": () => many(10, () => send([chat("stall; after=1")], 200)),
    "slow uploads": () =>
      many(20, async () => {
        const socket = open()
        for (const part of text().match(/[^]{1,40}/g) ?? []) {
          socket.write(part)
          await pause(5)
        }
        await Promise.race([counting(socket)(1), pause(1_000)])
        socket.destroy()
      }),
    "bodies that are cut": () => many(requests, () => send([text().slice(0, -3)], 20)),
    "no HTTP at all": () => many(20, () => send(["\0\0\0 nonsense\r\n\r\n"], 200)),
    "tools on a connection": () => send(Array.from({ length: requests }, () => tools("tools/list")))
  }
}

describe.runIf(hasPostgres && hasRedis)("the program on PostgreSQL and Redis", () => {
  it("prints no warning, whatever callers do to their connections, and while it stops", async () => {
    const store = Redacted.value(await Effect.runPromise(Scope.provide(emptyDatabase, scope)))
    const program = run({
      TOLLGATE_STORE: store,
      TOLLGATE_REDIS: await Effect.runPromise(redisUrl),
      TOLLGATE_DATA: folder(),
      TOLLGATE_DRAIN_SECONDS: "2",
      NODE_OPTIONS: "--trace-warnings"
    })
    const banner = await program.started
    await Effect.runPromise(
      SqlClient.use((sql) => sql`UPDATE accounts SET rpm = 1000000, tpm = 1000000000, concurrency = 1000`).pipe(
        Effect.provide(PostgresClient.layer({ address: Redacted.make(store) }))
      )
    )
    const all = loads(addressIn(banner), keyIn(banner))
    for (const load of Object.values(all)) await load()
    // All at once, and the program stops among them.
    const last = Promise.all(Object.values(all).map((load) => load()))
    await pause(200)
    const { code, stderr } = await program.stop()
    await last
    expect(stderr.split("\n").filter((line) => line.includes("Warning"))).toEqual([])
    expect(code).toBe(0)
  })
})
