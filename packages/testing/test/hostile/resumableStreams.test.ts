import { afterAll, describe, expect, it } from "@effect/vitest"
import { RecentAnswersBounds, recentAnswersBoundsOf } from "@tollgate/gateway"
import { TestGateway } from "@tollgate/testing"
import type { Options } from "@tollgate/testing/TestGateway"
import { pausedUpstream, until } from "@tollgate/testing/hostile/pausedUpstream"
import { gatewayTo, Served, streamProviders } from "@tollgate/testing/hostile/Served"
import {
  ask,
  type Asked,
  begin,
  charged,
  chunk,
  eventsIn,
  last,
  leaveAt,
  question,
  refusalOf,
  textOf,
  words
} from "@tollgate/testing/hostile/resuming"
import { calls, reservedTotal, streams } from "@tollgate/testing/models"
import { temporaryFiles } from "@tollgate/testing/store/temporaryFiles"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { ServerResponse } from "node:http"
import { DatabaseSync } from "node:sqlite"

// A caller whose connection broke goes on with its stream, and pays once.

const files = temporaryFiles()
afterAll(files.remove)

const { body, path } = streams.openai

const wholeStream = (res: ServerResponse): void => {
  begin(...words)(res)
  res.end(`: keep-alive\n\n${last}`)
}

const served = (port: number, bounds = recentAnswersBoundsOf(64, 60), options: Options = {}) =>
  Layer.provideMerge(Served.layer(), gatewayTo(streamProviders(port, { deadlineMillis: 600_000 }), options)).pipe(
    Layer.provide(Layer.succeed(RecentAnswersBounds, bounds))
  )

const settled = Effect.gen(function* () {
  while ((yield* calls).some(({ state }) => state === "open")) yield* Effect.sleep("5 millis")
  return (yield* calls).map(({ charged, cost_state, state }) => [state, cost_state, charged])
})

const onWhole = <A, E>(
  test: (baseUrl: string, received: ReadonlyArray<unknown>) => Effect.Effect<A, E, Served | TestGateway>
) =>
  Effect.gen(function* () {
    const upstream = yield* httpUpstream(wholeStream)
    return yield* Effect.flatMap(Served, ({ baseUrl }) => test(baseUrl, upstream.received)).pipe(
      Effect.provide(served(upstream.port))
    )
  }).pipe(Effect.scoped)

type Upstream = Effect.Success<typeof pausedUpstream>

const onHeld = <A, E>(
  test: (baseUrl: string, upstream: Upstream) => Effect.Effect<A, E, Served | TestGateway>,
  bounds = recentAnswersBoundsOf(64, 60),
  options: Options = {}
) =>
  Effect.gen(function* () {
    const upstream = yield* pausedUpstream
    return yield* Effect.flatMap(Served, ({ baseUrl }) => test(baseUrl, upstream)).pipe(
      Effect.provide(served(upstream.port, bounds, options))
    )
  }).pipe(Effect.scoped)

describe("a stream that can be resumed", () => {
  it.live("has an id at each event, names its call, and is what it would be without them", () =>
    onWhole((baseUrl) =>
      Effect.gen(function* () {
        const response = yield* Effect.promise(() => ask(baseUrl))
        expect(response.headers.get("x-tollgate-resumable")).toBe(response.headers.get("x-request-id"))
        const text = yield* Effect.promise(() => response.text())
        const ids = eventsIn(text).map(({ id }) => Number(id))
        expect(ids).toEqual([...ids].sort((one, other) => one - other))
        expect(new Set(ids).size).toBe(words.length + 2)
        const plain = yield* Effect.promise(async () => {
          const { headers } = streams.openai
          const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: question }
          const response = await fetch(baseUrl + path, init)
          expect(response.headers.get("x-tollgate-resumable")).toBe(null)
          return response.text()
        })
        expect(text.replaceAll(/^id: \d+\n/gm, "")).toBe(plain)
      })
    )
  )

  it.live("goes on after each of its events, also when it has ended, and costs once", () =>
    onWhole((baseUrl, received) =>
      Effect.gen(function* () {
        const text = yield* textOf(ask(baseUrl))
        const all = eventsIn(text)
        for (const [at, { id }] of all.entries()) {
          const before = all
            .slice(0, at + 1)
            .map((event) => event.text)
            .join("")
          const rest = yield* textOf(ask(baseUrl, { last: id }))
          expect(eventsIn(before + rest)).toEqual(all)
          expect(rest).toContain(`: cost_micros_usd=${charged} cost_state=settled`)
        }
        expect(yield* textOf(ask(baseUrl))).toBe(text)
        expect(received).toHaveLength(1)
        expect(yield* settled).toEqual([["settled", "settled", charged]])
        expect(yield* reservedTotal).toBe(0)
      })
    )
  )

  it.live("goes on while its caller is away, and is charged by its report", () =>
    onHeld((baseUrl, upstream) =>
      Effect.gen(function* () {
        const left = yield* Effect.forkChild(leaveAt(baseUrl, "of"))
        yield* upstream.arrived(1)
        const [res] = yield* upstream.answer(begin("Because", " of"))
        const first = eventsIn(yield* Fiber.join(left))
        // Apart, so that one read does not get them all.
        for (const word of words.slice(2)) {
          res!.write(chunk(word))
          yield* Effect.sleep("20 millis")
        }
        res!.end(last)
        // Nobody reads it.
        expect(yield* settled).toEqual([["settled", "settled", charged]])
        const response = yield* Effect.promise(() => ask(baseUrl, { last: first.at(-1)?.id }))
        expect(response.headers.get("idempotent-replayed")).toBe("true")
        expect(response.headers.get("x-tollgate-resumable")).toBe((yield* calls)[0]?.id)
        const rest = eventsIn(yield* Effect.promise(() => response.text()))
        expect(rest.map(({ text }) => text).join("")).toContain(" water")
        expect(rest).toHaveLength(words.length + 2 - first.length)
        expect(upstream.received).toHaveLength(1)
      })
    )
  )

  it.live("is read by two at once, each from where it was, and by one who comes before its head", () =>
    onHeld((baseUrl, upstream) =>
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(textOf(ask(baseUrl)))
        yield* upstream.arrived(1)
        const early = yield* Effect.forkChild(textOf(ask(baseUrl)))
        yield* Effect.sleep("50 millis")
        const [res] = yield* upstream.answer(begin("Because"))
        const late = yield* Effect.forkChild(textOf(ask(baseUrl, { last: 1 })))
        yield* Effect.sleep("50 millis")
        for (const word of words.slice(1)) res!.write(chunk(word))
        res!.end(last)
        const text = yield* Fiber.join(first)
        expect(yield* Fiber.join(early)).toBe(text)
        expect(eventsIn(yield* Fiber.join(late))).toEqual(eventsIn(text).slice(1))
        expect(upstream.received).toHaveLength(1)
        expect(yield* settled).toEqual([["settled", "settled", charged]])
      })
    )
  )

  it.live("ends as one that was left if nobody comes back in time, and is not executed again", () =>
    onHeld(
      (baseUrl, upstream) =>
        Effect.gen(function* () {
          const left = yield* Effect.forkChild(leaveAt(baseUrl, "of"))
          yield* upstream.arrived(1)
          const [res] = yield* upstream.answer(begin("Because", " of"))
          const first = eventsIn(yield* Fiber.join(left))
          yield* until(() => res!.destroyed)
          const [[state, costState, amount] = []] = yield* settled
          expect([state, costState]).toEqual(["settled", "estimated"])
          expect(amount).toBeGreaterThan(0)
          for (const last of [undefined, 0, first.at(-1)?.id]) {
            const refusal = yield* refusalOf(ask(baseUrl, { last }))
            expect(refusal).toMatchObject({ status: 409, code: "idempotency_completed" })
            expect(refusal.message).toContain((yield* calls)[0]?.id)
          }
          expect(upstream.received).toHaveLength(1)
        }),
      { ...recentAnswersBoundsOf(64, 60), awayMillis: 100 }
    )
  )

  it.live("that needs more memory than there is goes on for who reads it, and cannot be resumed", () =>
    onHeld(
      (baseUrl, upstream) =>
        Effect.gen(function* () {
          const whole = yield* Effect.forkChild(textOf(ask(baseUrl)))
          const left = yield* Effect.forkChild(leaveAt(baseUrl, "of", { key: "two" }))
          yield* upstream.arrived(2)
          const responses = yield* upstream.answer(begin("Because", " of"))
          yield* Fiber.join(left)
          const long = "x".repeat(30_000)
          for (const res of responses) {
            for (let i = 0; i < 10; i++) res.write(chunk(long))
            res.end(last)
          }
          const text = yield* Fiber.join(whole)
          expect(eventsIn(text)).toHaveLength(14)
          expect(text).toContain("cost_state=settled")
          const states = yield* settled
          expect(states.map(([state]) => state)).toEqual(["settled", "settled"])
          for (const key of ["one", "two"]) {
            expect(yield* refusalOf(ask(baseUrl, { key, last: 1 }))).toMatchObject({ code: "idempotency_completed" })
          }
          expect(upstream.received).toHaveLength(2)
        }),
      { ...recentAnswersBoundsOf(64, 60), total: 100_000, ofAccount: 100_000 }
    )
  )

  it.live("is settled once if the gateway stops while its caller is away", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      const filename = files.next()
      const scope = yield* Scope.make()
      const layer = Layer.provideMerge(Served.layer(), gatewayTo(streamProviders(upstream.port), { filename }))
      const context = yield* Layer.buildWithScope(layer, scope)
      const { baseUrl } = Context.get(context, Served)
      const left = yield* Effect.forkChild(leaveAt(baseUrl, "of"))
      yield* upstream.arrived(1)
      const [res] = yield* upstream.answer(begin("Because", " of"))
      yield* Fiber.join(left)
      yield* Effect.sleep("50 millis")
      expect(res!.destroyed).toBe(false)
      yield* Scope.close(scope, Exit.void)
      const database = new DatabaseSync(filename, { readOnly: true })
      expect(database.prepare("SELECT state, cost_state FROM calls").all()).toEqual([
        { state: "settled", cost_state: "estimated" }
      ])
      database.close()
    }).pipe(Effect.scoped)
  )

  it.live("that breaks upstream while its caller is away is charged once, and its error can be read", () =>
    onHeld((baseUrl, upstream) =>
      Effect.gen(function* () {
        const left = yield* Effect.forkChild(leaveAt(baseUrl, "of"))
        yield* upstream.arrived(1)
        const [res] = yield* upstream.answer(begin("Because", " of"))
        const first = eventsIn(yield* Fiber.join(left))
        res!.destroy()
        expect((yield* settled).map(([state, cost]) => [state, cost])).toEqual([["settled", "estimated"]])
        const rest = yield* textOf(ask(baseUrl, { last: first.at(-1)?.id }))
        expect(rest).toContain("upstream_failed")
        expect(rest).toContain("cost_state=estimated")
        expect(upstream.received).toHaveLength(1)
      })
    )
  )

  it.live("is resumed by a key whose places are all taken by it", () =>
    onHeld(
      (baseUrl, upstream) =>
        Effect.gen(function* () {
          const { account, accounts } = yield* TestGateway
          yield* accounts.change(account, { concurrency: 1 })
          const left = yield* Effect.forkChild(leaveAt(baseUrl, "of"))
          yield* upstream.arrived(1)
          const [res] = yield* upstream.answer(begin("Because", " of"))
          yield* Fiber.join(left)
          expect((yield* refusalOf(ask(baseUrl, { key: "two" }))).status).toBe(429)
          const rest = yield* Effect.forkChild(textOf(ask(baseUrl, { last: 2 })))
          yield* Effect.sleep("50 millis")
          res!.end(last)
          expect(yield* Fiber.join(rest)).toContain("[DONE]")
          expect(upstream.received).toHaveLength(1)
        }),
      recentAnswersBoundsOf(64, 60),
      { limits: true }
    )
  )
})

describe("who may not resume", () => {
  it.live("gets a clear answer, and nothing is executed", () =>
    onWhole((baseUrl, received) =>
      Effect.gen(function* () {
        const text = yield* textOf(ask(baseUrl))
        const refused = (asked: Asked) => refusalOf(ask(baseUrl, asked))
        // Another body, a key that nobody has used, an event that was not sent.
        expect(yield* refused({ body: body("Why not?"), last: 1 })).toMatchObject({ status: 422 })
        expect(yield* refused({ key: "another", last: 1 })).toMatchObject({ status: 400, code: "invalid_request" })
        expect(yield* refused({ last: 1_000 })).toMatchObject({ status: 400, code: "invalid_request" })
        for (const last of ["-1", "1.5", "x", "9".repeat(40)]) {
          expect(yield* refused({ last })).toMatchObject({ status: 400, code: "invalid_request" })
        }
        expect(yield* refused({ headers: { "x-tollgate-resumable": "yes" } })).toMatchObject({ status: 400 })
        expect(received).toHaveLength(1)
        // Without asking for it, the key is as always.
        const headers = { ...streams.openai.headers, "content-type": "application/json", "idempotency-key": "one" }
        const response = yield* Effect.promise(() => fetch(baseUrl + path, { method: "POST", headers, body: question }))
        expect(response.status).toBe(409)
        // Another account has a key of the same name.
        const { accounts } = yield* TestGateway
        const { id } = yield* accounts.create("another")
        const { value } = yield* accounts.createKey(id, { label: "" })
        const credential = Redacted.value(value)
        expect(yield* refused({ credential, last: 1 })).toMatchObject({ status: 400, code: "invalid_request" })
        expect(yield* textOf(ask(baseUrl))).toBe(text)
        expect(received).toHaveLength(1)
      })
    )
  )
})
