import { afterAll, describe, expect, it } from "@effect/vitest"
import { key, TestGateway } from "@tollgate/testing"
import { providerAt, Served, servedTo } from "@tollgate/testing/hostile/Served"
import { pausedUpstream } from "@tollgate/testing/hostile/pausedUpstream"
import type { Driver } from "@tollgate/testing/limits/Driver"
import { postgresLimits } from "@tollgate/testing/limits/postgres"
import { hasRedis, redisLimits, redisUrl } from "@tollgate/testing/limits/redis"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { temporaryFiles } from "@tollgate/testing/store/temporaryFiles"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { Scope } from "effect/Scope"
import type { ServerResponse } from "node:http"
import { connect } from "node:net"
import { countOf, isAll } from "@tollgate-tooling/programs/counts.ts"

const files = temporaryFiles()
afterAll(files.remove)

/** Calls at once. */
const slots = 5
const rounds = countOf("PLACES_ROUNDS", 4, 60)

/** Several gateways share their books in PostgreSQL; one has them in a file. */
interface World {
  readonly gateways: number
  readonly books: { readonly filename: string } | { readonly database: Redacted.Redacted }
  readonly limits: Driver | undefined
}

const inRedis = Effect.map(redisUrl, (url) => redisLimits(url))
const oneFile = Effect.sync(() => ({ gateways: 1, books: { filename: files.next() } }))
const twoOnDatabase = Effect.map(migratedDatabase, (database) => ({ gateways: 2, books: { database } }))

const worlds: Record<string, readonly [boolean, Effect.Effect<World, unknown, Scope>]> = {
  "in memory": [true, Effect.map(oneFile, (world) => ({ ...world, limits: undefined }))],
  "in Redis": [isAll && hasRedis, Effect.zipWith(oneFile, inRedis, (world, limits) => ({ ...world, limits }))],
  "in Redis, over two gateways": [
    isAll && hasRedis && hasPostgres,
    Effect.zipWith(twoOnDatabase, inRedis, (world, limits) => ({ ...world, limits }))
  ],
  "in PostgreSQL, over two gateways": [
    isAll && hasPostgres,
    Effect.map(twoOnDatabase, (world) => ({ ...world, limits: postgresLimits(world.books.database) }))
  ]
}

/** A slot comes back within milliseconds, on a busy machine too. This bounds a failure. */
const patientMillis = 60_000

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "sandbox", choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`

const begin = (res: ServerResponse) => {
  res.writeHead(200, { "content-type": "text/event-stream" })
  res.write(chunk({ role: "assistant", content: "Because" }))
}

const complete = (res: ServerResponse) => {
  const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
  res.write(chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }))
  res.write(chunk({}, { choices: [], usage }))
  res.end("data: [DONE]\n\n")
}

interface Way {
  readonly upstream: (res: ServerResponse) => void
  /** The caller leaves when it reads this. Otherwise it reads to the end. */
  readonly leavesAt?: string
}

/** How streams end. */
const ways: Record<string, Way> = {
  completed: { upstream: (res) => (begin(res), complete(res)) },
  "completed, and the caller hangs up at the last event": {
    upstream: (res) => (begin(res), complete(res)),
    leavesAt: "[DONE]"
  },
  "left by the caller": { upstream: begin, leavesAt: "Because" },
  "cut by the upstream": {
    upstream: (res) => {
      begin(res)
      setTimeout(() => res.destroy(), 5)
    }
  },
  "refused by the upstream": {
    upstream: (res) => void res.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"no"}}')
  },
  "never answered by the upstream": { upstream: (res) => void res.destroy() }
}

/** Sends a request on a socket of its own. Returns the status when the caller knows that the call is over. */
const ask = (port: number, leavesAt: string | undefined): Promise<number> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({ model: "sandbox", stream: true, messages: [{ role: "user", content: "Why?" }] })
    const head = [
      "POST /v1/chat/completions HTTP/1.1",
      "host: localhost",
      `authorization: Bearer ${key}`,
      "content-type: application/json",
      `content-length: ${body.length}`
    ]
    let text = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(`${head.join("\r\n")}\r\n\r\n${body}`))
    const end = () => {
      socket.destroy()
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]))
    }
    socket.on("error", reject)
    socket.on("data", (data: Buffer) => {
      text += data.toString()
      const length = /content-length: (\d+)/i.exec(text)?.[1]
      const head = text.indexOf("\r\n\r\n")
      if (text.endsWith("0\r\n\r\n") || (length !== undefined && text.length >= head + 4 + Number(length))) end()
      else if (leavesAt !== undefined && text.includes(leavesAt)) end()
    })
    socket.on("close", end)
  })

describe("a key whose calls go on", () => {
  it.live("is refused beyond its slots, without waiting for long", () =>
    Effect.gen(function* () {
      const { answer, arrived, port } = yield* pausedUpstream
      const provider = providerAt(port, { name: "o", protocol: "openai" })
      const context = yield* Layer.build(
        servedTo({ "chat.completions": provider }, { limits: true, slotWaitMillis: 250 })
      )
      const own = Context.get(context, Served).port
      const running = Promise.all(Array.from({ length: slots }, () => ask(own, undefined)))
      yield* arrived(slots)
      const refused = Promise.all(Array.from({ length: 3 * slots }, () => ask(own, undefined)))
      expect(new Set(yield* Effect.promise(() => refused))).toEqual(new Set([429]))
      yield* answer((res) => (begin(res), complete(res)))
      expect(new Set(yield* Effect.promise(() => running))).toEqual(new Set([200]))
    }).pipe(Effect.scoped)
  )
})

for (const [store, [isThere, world]] of Object.entries(worlds)) {
  describe.runIf(isThere)(`with limits ${store}`, () => {
    for (const [name, { leavesAt, upstream: answer }] of Object.entries(ways)) {
      it.live(`${slots} streams ${name} make room for ${slots} more at once`, () =>
        Effect.gen(function* () {
          const { port } = yield* httpUpstream(answer)
          const { books, gateways, limits } = yield* world
          const ports: Array<number> = []
          for (let i = 0; i < gateways; i++) {
            const limitStore = limits === undefined ? undefined : (yield* limits.join)()
            const provider = providerAt(port, { name: "o", protocol: "openai", breaker: false })
            const options = { limits: true, limitStore, slotWaitMillis: patientMillis, ...books }
            const context = yield* Layer.build(servedTo({ "chat.completions": provider }, options))
            const { sql } = Context.get(context, TestGateway)
            yield* sql`UPDATE accounts SET rpm = 1000000, tpm = 1000000000, concurrency = ${slots}`
            ports.push(Context.get(context, Served).port)
          }
          const all = Effect.promise(() =>
            Promise.all(Array.from({ length: slots }, (_, i) => ask(ports[i % gateways]!, leavesAt)))
          )
          const statuses: Array<number> = []
          for (let round = 0; round < rounds; round++) {
            statuses.push(...(yield* all))
            // The next round comes by the other gateway.
            ports.reverse()
          }
          expect(statuses.filter((status) => status === 429)).toEqual([])
        }).pipe(Effect.scoped)
      )
    }
  })
}
