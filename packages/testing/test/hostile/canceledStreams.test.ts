import { afterAll, describe, expect, it } from "@effect/vitest"
import { TestGateway } from "@tollgate/testing"
import { pausedUpstream, until } from "@tollgate/testing/hostile/pausedUpstream"
import { gatewayTo, Served, streamProviders } from "@tollgate/testing/hostile/Served"
import {
  ask,
  type Asked,
  askMode,
  begin,
  charged,
  chunk,
  eventsIn,
  last,
  leaveAt,
  question,
  refusalOf,
  textOf
} from "@tollgate/testing/hostile/resuming"
import { calls, reservedTotal, streams } from "@tollgate/testing/models"
import { temporaryFiles } from "@tollgate/testing/store/temporaryFiles"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { DatabaseSync } from "node:sqlite"

// A caller ends its stream for good, or asks what one cost whose end it did not see.

const files = temporaryFiles()
afterAll(files.remove)

const { path } = streams.openai

interface Told {
  readonly request_id: string
  readonly cost_state: string
  readonly cost_micros_usd?: number
}

const toldOf = (answer: Promise<Response>) =>
  Effect.promise(async () => {
    const response = await answer
    expect([response.status, response.headers.get("x-tollgate-cost-state")]).toEqual([200, "none"])
    return (await response.json()) as Told
  })

const cancel = (baseUrl: string, asked?: Pick<Asked, "credential" | "key">) => toldOf(askMode(baseUrl, "cancel", asked))

const isEnded = Effect.map(calls, (all) => all.every(({ state }) => state !== "open"))
const settled = Effect.gen(function* () {
  while (!(yield* isEnded)) yield* Effect.sleep("5 millis")
  return (yield* calls).map(({ charged, cost_state, state }) => [state, cost_state, charged])
})

type Upstream = Effect.Success<typeof pausedUpstream>

const served = (port: number, filename?: string) =>
  Layer.provideMerge(
    Served.layer(),
    gatewayTo(streamProviders(port, { deadlineMillis: 600_000 }), filename === undefined ? {} : { filename })
  )

const onHeld = <A, E>(test: (baseUrl: string, upstream: Upstream) => Effect.Effect<A, E, Served | TestGateway>) =>
  Effect.gen(function* () {
    const upstream = yield* pausedUpstream
    return yield* Effect.flatMap(Served, ({ baseUrl }) => test(baseUrl, upstream)).pipe(
      Effect.provide(served(upstream.port))
    )
  }).pipe(Effect.scoped)

/** A stream whose caller has left after two words, while the upstream goes on. */
const leftAfterTwo = Effect.fnUntraced(function* (
  baseUrl: string,
  upstream: Upstream,
  asked: Parameters<typeof ask>[1] = {}
) {
  const before = upstream.received.length
  const left = yield* Effect.forkChild(leaveAt(baseUrl, "of", asked))
  yield* upstream.arrived(before + 1)
  const [res] = yield* upstream.answer(begin("Because", " of"))
  yield* Fiber.join(left)
  return res!
})

describe("a stream that is canceled", () => {
  it.live("ends upstream, and costs what a plain one costs that is left after the same events", () =>
    onHeld((baseUrl, upstream) =>
      Effect.gen(function* () {
        const plain = new AbortController()
        const headers = { ...streams.openai.headers, "content-type": "application/json" }
        const asked = fetch(baseUrl + path, { method: "POST", headers, body: question, signal: plain.signal })
        yield* upstream.arrived(1)
        const [first] = yield* upstream.answer(begin("Because", " of"))
        yield* Effect.promise(async () => {
          let text = ""
          const decoder = new TextDecoder()
          for await (const bytes of (await asked).body!) {
            text += decoder.decode(bytes as Uint8Array)
            if (text.includes("of")) break
          }
        })
        plain.abort()
        yield* until(() => first!.destroyed)

        const res = yield* leftAfterTwo(baseUrl, upstream)
        expect(res.destroyed).toBe(false)
        const told = yield* cancel(baseUrl)
        yield* until(() => res.destroyed)
        const [one, two] = yield* calls
        expect(told).toEqual({ request_id: two?.id, cost_state: "estimated", cost_micros_usd: one?.charged })
        expect(two?.charged).toBe(one?.charged)
        expect(yield* reservedTotal).toBe(0)
        // Twice is once.
        expect(yield* cancel(baseUrl)).toEqual(told)
        expect(yield* toldOf(askMode(baseUrl, "charge"))).toEqual(told)
        // It is not begun again.
        for (const last of [undefined, 1]) {
          const refusal = yield* refusalOf(ask(baseUrl, { last }))
          expect(refusal).toMatchObject({ status: 409, code: "idempotency_completed" })
          expect(refusal.message).toContain(two?.id)
        }
        expect(upstream.received).toHaveLength(2)
      })
    )
  )

  it.live("before its first event is not read on", () =>
    onHeld((baseUrl, upstream) =>
      Effect.gen(function* () {
        const leaving = new AbortController()
        const left = ask(baseUrl, { signal: leaving.signal }).catch(() => undefined)
        yield* upstream.arrived(1)
        leaving.abort()
        yield* Effect.promise(() => left)
        const told = yield* Effect.forkChild(cancel(baseUrl))
        yield* Effect.sleep("50 millis")
        const [res] = yield* upstream.answer(begin("Because", " of"))
        yield* until(() => res!.destroyed)
        expect(["estimated", "none"]).toContain((yield* Fiber.join(told)).cost_state)
        expect(yield* isEnded).toBe(true)
      })
    )
  )

  it.live("before its request has arrived ends when it comes", () =>
    onHeld((baseUrl, upstream) =>
      Effect.gen(function* () {
        expect((yield* refusalOf(askMode(baseUrl, "cancel"))).status).toBe(404)
        const read = yield* Effect.forkChild(textOf(ask(baseUrl)))
        yield* upstream.arrived(1)
        const [res] = yield* upstream.answer(begin("Because", " of"))
        yield* until(() => res!.destroyed)
        expect(yield* Fiber.join(read)).not.toContain("[DONE]")
        expect((yield* settled)[0]?.[0]).toBe("settled")
        // Another one under another key is not meant.
        const other = yield* leftAfterTwo(baseUrl, upstream, { key: "two" })
        yield* Effect.sleep("50 millis")
        expect(other.destroyed).toBe(false)
        yield* cancel(baseUrl, { key: "two" })
      })
    )
  )

  it.live("after its end costs what it cost", () =>
    onHeld((baseUrl, upstream) =>
      Effect.gen(function* () {
        const res = yield* leftAfterTwo(baseUrl, upstream)
        res.end(chunk(" the") + last)
        expect(yield* settled).toEqual([["settled", "settled", charged]])
        expect(yield* cancel(baseUrl)).toMatchObject({ cost_state: "settled", cost_micros_usd: charged })
      })
    )
  )

  it.live("ends for all who read it", () =>
    onHeld((baseUrl, upstream) =>
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(textOf(ask(baseUrl)))
        yield* upstream.arrived(1)
        const [res] = yield* upstream.answer(begin("Because", " of"))
        const second = yield* Effect.forkChild(textOf(ask(baseUrl, { last: 1 })))
        yield* Effect.sleep("50 millis")
        expect(yield* cancel(baseUrl)).toMatchObject({ cost_state: "estimated" })
        yield* until(() => res!.destroyed)
        expect(eventsIn(yield* Fiber.join(first))).toHaveLength(2)
        expect(eventsIn(yield* Fiber.join(second))).toHaveLength(1)
      })
    )
  )

  it.live("by another key goes on, and that key learns nothing of it", () =>
    onHeld((baseUrl, upstream) =>
      Effect.gen(function* () {
        const { account, accounts } = yield* TestGateway
        const another = yield* accounts.create("another")
        const res = yield* leftAfterTwo(baseUrl, upstream)
        for (const owner of [account, another.id]) {
          const credential = Redacted.value((yield* accounts.createKey(owner, { label: "" })).value)
          for (const mode of ["cancel", "charge"]) {
            const unused = yield* refusalOf(askMode(baseUrl, mode, { credential, key: "unused" }))
            expect(unused.status).toBe(404)
            expect(yield* refusalOf(askMode(baseUrl, mode, { credential }))).toEqual(unused)
          }
        }
        yield* Effect.sleep("50 millis")
        expect(res.destroyed).toBe(false)
        res.end(last)
        expect(yield* settled).toEqual([["settled", "settled", charged]])
      })
    )
  )

  it.live("while its gateway was killed is unknown", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      const filename = files.next()
      yield* Effect.gen(function* () {
        yield* leftAfterTwo((yield* Served).baseUrl, upstream)
      }).pipe(Effect.provide(served(upstream.port, filename)))
      // As `kill -9` would have left it.
      const database = new DatabaseSync(filename)
      database.exec("UPDATE calls SET state = 'open', cost_state = NULL, ended_at = NULL, charged = 0")
      database.close()
      yield* Effect.gen(function* () {
        expect(yield* cancel((yield* Served).baseUrl)).toMatchObject({ cost_state: "unknown" })
      }).pipe(Effect.provide(served(upstream.port, filename)))
    }).pipe(Effect.scoped)
  )
})

describe("the charge of a call", () => {
  it.live("is told by its key, once it has ended, without ending it", () =>
    onHeld((baseUrl, upstream) =>
      Effect.gen(function* () {
        const res = yield* leftAfterTwo(baseUrl, upstream)
        const told = yield* Effect.forkChild(toldOf(askMode(baseUrl, "charge")))
        yield* Effect.sleep("100 millis")
        expect(res.destroyed).toBe(false)
        res.end(last)
        expect(yield* Fiber.join(told)).toMatchObject({ cost_state: "settled", cost_micros_usd: charged })
      })
    )
  )

  it.live("needs a key, and a mode that exists", () =>
    onHeld((baseUrl) =>
      Effect.gen(function* () {
        const headers = { ...streams.openai.headers, "content-type": "application/json" }
        const mode = (mode: string) => ({ ...headers, "x-tollgate-idempotency-mode": mode })
        const post = (headers: Record<string, string>) =>
          refusalOf(fetch(baseUrl + path, { method: "POST", headers, body: question }))
        expect(yield* post(mode("cancel"))).toMatchObject({ status: 400, code: "invalid_request" })
        expect(yield* post({ ...mode("stop"), "idempotency-key": "k" })).toMatchObject({ status: 400 })
      })
    )
  )
})
