import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { chats, compressed, depths, queries, sizes, texts } from "@tollgate/testing/hardening/bodies"
import { chunkings, codings, lengths } from "@tollgate/testing/hardening/framings"
import { oversized, repeated, values } from "@tollgate/testing/hardening/heads"
import { addresses, lines } from "@tollgate/testing/hardening/lines"
import type { Corpus, Entry } from "@tollgate/testing/hardening/requests"
import { Target } from "@tollgate/testing/hardening/target"
import { expectWorking } from "@tollgate/testing/hardening/testAll"
import { wire } from "@tollgate/testing/hardening/wire"

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
