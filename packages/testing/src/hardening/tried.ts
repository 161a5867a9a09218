import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Corpus, type Entry, request, rerank } from "./requests.ts"
import { Target } from "./target.ts"
import { wire } from "./wire.ts"

/** A good request on a connection of its own is carried out and charged. */
export const works = Effect.gen(function* () {
  const { port } = yield* Target
  const client = yield* wire(port)
  client.send(rerank(["Connection: close"]))
  const [answer, ...more] = yield* client.closed
  expect(more).toEqual([])
  expect(answer).toMatchObject({ status: 200, complete: true })
  return Number(answer?.headers["x-tollgate-cost-micros-usd"])
}).pipe(Effect.scoped)

const last = request("GET /v1/models", ["Connection: close"])

/** Sends the bytes and gives the answers, that to a request on the same connection included where it is kept. */
const sent = ({ kept, send, statuses }: Pick<Entry, "send" | "statuses" | "kept">) =>
  Effect.gen(function* () {
    const { port } = yield* Target
    const client = yield* wire(port)
    client.send(send)
    if (kept) {
      yield* client.until(statuses.length)
      client.send(last)
    }
    return yield* client.closed
  }).pipe(Effect.scoped)

export const tried = Effect.fnUntraced(function* (entry: Entry) {
  const { done, reached } = yield* Target
  const before = yield* done
  const from = reached.length
  const answers = yield* sent(entry)
  // Whatever else was begun has ended when this has.
  const price = yield* works
  const after = yield* done
  const expected = entry.kept ? [...entry.statuses, 200] : entry.statuses
  expect(answers.map(({ status }) => status)).toEqual(expected)
  expect(answers.every(({ complete }) => complete)).toBe(true)
  expect(reached.slice(from).filter((url) => url.includes("smuggled"))).toEqual([])
  expect({ worked: after.worked - before.worked - 1, open: after.open }).toEqual({ worked: entry.worked, open: 0 })
  if (entry.worked === 0) expect(after.charged - before.charged).toBe(price)
  else expect(after.calls - before.calls).toBe(entry.worked + 1)
})

/** A test for each entry, all against one gateway. */
export const testAll = (name: string, corpora: Readonly<Record<string, Corpus>>) =>
  layer(Target.layer(), { excludeTestServices: true })(name, (it) => {
    for (const [group, corpus] of Object.entries(corpora)) {
      for (const [name, entry] of Object.entries(corpus)) {
        it.effect(`${group}: ${name}`, () => tried(entry))
      }
    }
  })
