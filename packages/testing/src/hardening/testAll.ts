import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Corpus, type Entry, request, rerank } from "./requests.ts"
import { readers, Target } from "./target.ts"
import { wire } from "./wire.ts"

/** Sends a valid request on a new connection, and expects it to be executed and charged. */
export const expectWorking = Effect.gen(function* () {
  const { port } = yield* Target
  const client = yield* wire(port)
  client.send(rerank(["Connection: close"]))
  const [answer, ...more] = yield* client.closed
  expect(more).toEqual([])
  expect(answer).toMatchObject({ status: 200, complete: true })
  return Number(answer?.headers["x-tollgate-cost-micros-usd"])
}).pipe(Effect.scoped)

const last = request("GET /v1/models", ["Connection: close"])

/** Sends the bytes and returns the answers. On a reusable connection, a second request follows. */
const sendEntry = ({ reusable, send, statuses }: Pick<Entry, "send" | "statuses" | "reusable">) =>
  Effect.gen(function* () {
    const { port } = yield* Target
    const client = yield* wire(port)
    client.send(send)
    if (reusable) {
      yield* client.until(statuses.length)
      client.send(last)
    }
    return yield* client.closed
  }).pipe(Effect.scoped)

export const checkEntry = Effect.fnUntraced(function* (entry: Entry) {
  const { totals, reached } = yield* Target
  const before = yield* totals
  const from = reached.length
  const answers = yield* sendEntry(entry)
  // When this call has ended, so has everything that started before it.
  const price = yield* expectWorking
  const after = yield* totals
  const expected = entry.reusable ? [...entry.statuses, 200] : entry.statuses
  expect(answers.map(({ status }) => status)).toEqual(expected)
  expect(answers.every(({ complete }) => complete)).toBe(true)
  expect(reached.slice(from).filter((url) => url.includes("smuggled"))).toEqual([])
  expect({ executed: after.executed - before.executed - 1, open: after.open }).toEqual({
    executed: entry.executed,
    open: 0
  })
  if (entry.executed === 0) expect(after.charged - before.charged).toBe(price)
  else expect(after.calls - before.calls).toBe(entry.executed + 1)
})

/** One test for each entry, all against one gateway for each reader. */
export const testAll = (name: string, corpora: Readonly<Record<string, Corpus>>): void => {
  for (const [reader, options] of readers) {
    layer(Target.layer(options), { excludeTestServices: true })(`${name}, ${reader}`, (it) => {
      for (const [group, corpus] of Object.entries(corpora)) {
        for (const [name, entry] of Object.entries(corpus)) {
          it.effect(`${group}: ${name}`, () => checkEntry(entry))
        }
      }
    })
  }
}
