import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Socket } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { chats, compressed, depths, queries, sizes, texts } from "@tollgate/testing/hardening/bodies"
import { chunkings, codings, lengths } from "@tollgate/testing/hardening/framings"
import { oversized, repeated, values } from "@tollgate/testing/hardening/heads"
import { addresses, lines } from "@tollgate/testing/hardening/lines"
import { type Corpus, type Entry, request } from "@tollgate/testing/hardening/requests"
import { readers, Target } from "@tollgate/testing/hardening/target"
import { expectWorking } from "@tollgate/testing/hardening/testAll"
import { wire } from "@tollgate/testing/hardening/wire"
import { providerAt, tcpUpstream } from "@tollgate/testing/upstream"

setFlagsFromString("--expose_gc")
const collect: unknown = runInNewContext("gc")

const used = Effect.promise(async () => {
  for (let i = 0; i < 3; i++) {
    if (typeof collect === "function") collect()
    await new Promise((next) => setImmediate(next))
  }
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return { heapUsed, arrayBuffers }
})

const megabyte = 1_000_000

/** Sends the bytes, waits for the answers and disconnects. */
const sent = ({ send, statuses }: Entry) =>
  Effect.gen(function* () {
    const { port } = yield* Target
    const client = yield* wire(port)
    client.send(send)
    return yield* client.until(statuses.length)
  }).pipe(Effect.scoped)

const entries = (...corpora: ReadonlyArray<Corpus>) => corpora.flatMap((corpus) => Object.values(corpus))
const small = entries(
  addresses,
  chats,
  chunkings,
  codings,
  compressed,
  depths,
  lengths,
  lines,
  oversized,
  queries,
  repeated,
  texts,
  values
).filter(({ send, executed }) => executed === 0 && send.length < 20_000)

it.live("2,000 hostile requests leave no memory behind", () =>
  Effect.gen(function* () {
    const { totals, reached } = yield* Target
    expect(small.length).toBeGreaterThan(100)
    const send = (count: number) =>
      Effect.forEach(
        Array.from({ length: count }, (_, i) => small[i % small.length]!),
        sent,
        {
          concurrency: 20,
          discard: true
        }
      )
    yield* send(600)
    const before = yield* used
    yield* send(2000)
    reached.length = 0
    const after = yield* used
    expect(after.heapUsed - before.heapUsed).toBeLessThan(20 * megabyte)
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(20 * megabyte)
    expect(yield* totals).toMatchObject({ executed: 0, open: 0, charged: 0 })
    yield* expectWorking
  }).pipe(Effect.provide(Target.layer()))
)

it.live("bodies over the limit are not kept in memory", () =>
  Effect.gen(function* () {
    const send = Effect.forEach(entries(sizes), sent, { discard: true })
    yield* send
    const before = yield* used
    for (let i = 0; i < 3; i++) yield* send
    const after = yield* used
    expect(after.heapUsed - before.heapUsed).toBeLessThan(20 * megabyte)
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(20 * megabyte)
  }).pipe(Effect.provide(Target.layer()))
)

const streams = 100
const bodyBytes = 60_000
const conversation = request(
  "POST /v1/chat/completions",
  [],
  JSON.stringify({
    model: "sandbox",
    stream: true,
    max_tokens: 10,
    messages: [{ role: "user", content: "a".repeat(bodyBytes) }]
  })
)

const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "Well" }, finish_reason: null }] })}\n\n`
const begin =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
  `${event.length.toString(16)}\r\n${event}\r\n`

/** Sends the first event of a stream when the whole request has come. Then it is silent, and keeps nothing of the request. */
const silent = (socket: Socket): void => {
  let bytes = 0
  socket.on("data", (chunk) => {
    const before = bytes
    bytes += chunk.length
    if (before <= bodyBytes && bytes > bodyBytes) socket.write(begin)
  })
}

const silentUpstream = Effect.map(tcpUpstream(silent), ({ port }) => ({
  "chat.completions": { ...providerAt(port, 120_000), protocol: "openai", connections: streams }
}))

const firstBytes = ({ socket }: { readonly socket: Socket }) =>
  Effect.callback<string>((resume) => void socket.once("data", (chunk) => resume(Effect.succeed(String(chunk)))))

describe.each(readers)("streams under way, read by %s", (_, reader) => {
  it.live("do not keep the bytes of their requests", () =>
    Effect.gen(function* () {
      const { port } = yield* Target
      const { account, accounts } = yield* TestGateway
      yield* accounts.topUp(account, micro(1_000_000_000n), "streams")
      const before = yield* used
      const clients = yield* Effect.forEach(Array.from({ length: streams }), () => wire(port))
      for (const client of clients) {
        client.send(conversation)
        expect(yield* firstBytes(client)).toMatch(/^HTTP\/1.1 200 OK\r\n/)
      }
      const after = yield* used
      // The client of the upstream keeps what it sent until its answer has ended.
      expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(streams * bodyBytes * 1.5)
    }).pipe(
      Effect.scoped,
      Effect.provide(Layer.unwrap(Effect.map(silentUpstream, (providers) => Target.layer(reader, { providers }))))
    )
  )
})
