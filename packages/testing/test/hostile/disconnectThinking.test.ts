import { afterAll, describe, expect, it } from "@effect/vitest"
import { ReadOn, readOnDefaults } from "@tollgate/gateway"
import { TestGateway } from "@tollgate/testing"
import { request } from "@tollgate/testing/hardening/requests"
import { wire } from "@tollgate/testing/hardening/wire"
import { pausedUpstream, until } from "@tollgate/testing/hostile/pausedUpstream"
import { gatewayTo, Served, streamProviders } from "@tollgate/testing/hostile/Served"
import { bindings, type Call, calls, priced, reservedTotal, streams } from "@tollgate/testing/models"
import { temporaryFiles } from "@tollgate/testing/store/temporaryFiles"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { DatabaseSync } from "node:sqlite"

const files = temporaryFiles()
afterAll(files.remove)

type Style = keyof typeof events

const data = (...values: ReadonlyArray<unknown>) =>
  values.map((value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`).join("")

/** The last visible word, and the rest of the stream: 10 tokens in, 5,000 out, of which 4,990 were not shown. */
const events = {
  openai: {
    begin: data({ choices: [{ index: 0, delta: { content: "word" }, finish_reason: null }] }),
    end: data(
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      {
        choices: [],
        usage: {
          prompt_tokens: 10,
          completion_tokens: 5_000,
          completion_tokens_details: { reasoning_tokens: 4_990 }
        }
      },
      "[DONE]"
    )
  },
  responses: {
    begin: data(
      { type: "response.created", response: { id: "r" } },
      { type: "response.output_text.delta", delta: "word" }
    ),
    end: data({
      type: "response.completed",
      response: {
        id: "r",
        output: [],
        usage: { input_tokens: 10, output_tokens: 5_000, output_tokens_details: { reasoning_tokens: 4_990 } }
      }
    })
  },
  anthropic: {
    begin: data(
      { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "word" } }
    ),
    end: data(
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { output_tokens: 5_000, output_tokens_details: { thinking_tokens: 4_990 } }
      },
      { type: "message_stop" }
    )
  },
  gemini: {
    begin: data({ candidates: [{ index: 0, content: { parts: [{ text: "word" }] } }] }),
    end: data({
      candidates: [{ index: 0, content: { parts: [{ text: "." }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, thoughtsTokenCount: 4_990 }
    })
  }
} as const

const styles: ReadonlyArray<Style> = ["openai", "responses", "anthropic", "gemini"]

/** 10 tokens at 3 and 5,000 at 17 USD per million. */
const reported = ["settled", "settled", 85_030]

/** `thinks` as the price's entry has it. */
const operationsThat = (thinks: boolean | undefined) =>
  thinks === undefined
    ? priced
    : priced.map((operation) => {
        const own = operation.price
        if (own.contract !== "model_tokens") return operation
        const models = Object.fromEntries(
          Object.entries(own.models).map(([name, model]) => [name, { ...model, thinks }] as const)
        )
        return { ...operation, price: { ...own, models } }
      })

const readOn = (limits: Partial<typeof readOnDefaults>) => Layer.succeed(ReadOn, { ...readOnDefaults, ...limits })

const providers = (port: number, connections: number | undefined) =>
  Object.fromEntries(
    Object.entries(streamProviders(port)).map(([id, provider]) => [
      id,
      connections === undefined ? provider : { ...provider, connections }
    ])
  )

const gateway = (port: number, thinks: boolean | undefined, limits = {}, options = {}, connections?: number) =>
  gatewayTo(providers(port, connections), { operations: operationsThat(thinks), ...options }).pipe(
    Layer.provide(readOn(limits))
  )

const served = (port: number, thinks: boolean | undefined, limits = {}, connections?: number) =>
  Layer.provideMerge(Served.layer(), gateway(port, thinks, limits, {}, connections))

const inSandbox = Layer.provideMerge(
  Served.layer(),
  TestGateway.layer({ operations: operationsThat(true), bindings, sandbox: "all" }).pipe(Layer.provide(readOn({})))
)

type Upstream = Effect.Success<typeof pausedUpstream>

/** Starts a stream, leaves after the last visible word, and returns the upstream's side. */
const leave = Effect.fnUntraced(function* (
  upstream: Upstream,
  style: Style,
  nth = 1,
  more: ReadonlyArray<string> = []
) {
  const { port } = yield* Served
  const client = yield* wire(port)
  const { body, path } = streams[style]
  client.send(request(`POST ${path}`, more, body("Why?", {})))
  yield* upstream.arrived(nth)
  const [response] = yield* upstream.answer((res) => {
    res.writeHead(200, { "content-type": "text/event-stream" }).write(events[style].begin)
  })
  yield* until(() => client.answers()[0]?.body.includes("word") === true)
  client.socket.resetAndDestroy()
  return response
}, Effect.scoped)

const shown = ({ charged, cost_state, state }: Call) => [state, cost_state, charged]

const ended = Effect.gen(function* () {
  for (;;) {
    const all = yield* calls
    if (all.every(({ state }) => state !== "open")) return all.map(shown)
    yield* Effect.sleep("2 millis")
  }
})

const test = <A, E>(name: string, run: (upstream: Upstream) => Effect.Effect<A, E, Scope.Scope>, timeout = 60_000) =>
  it.live(name, () => Effect.flatMap(pausedUpstream, run).pipe(Effect.scoped), timeout)

describe("a stream of a model that thinks unseen", () => {
  for (const style of styles) {
    test(`is read on after its caller has left, and charged as reported: ${style}`, (upstream) =>
      Effect.gen(function* () {
        const res = yield* leave(upstream, style)
        // It is not disconnected while the rest is awaited.
        yield* Effect.sleep("100 millis")
        expect([res?.destroyed, (yield* calls)[0]?.state]).toEqual([false, "open"])
        res?.end(events[style].end)
        expect(yield* ended).toEqual([reported])
        expect(yield* reservedTotal).toBe(0)
      }).pipe(Effect.provide(served(upstream.port, true))))

    test(`is known by its reports: ${style}`, (upstream) =>
      Effect.gen(function* () {
        const first = yield* leave(upstream, style)
        yield* until(() => first?.destroyed === true)
        expect((yield* ended)[0]?.[1]).toBe("estimated")
        // A caller who stays gets the report, and from then on the model is known.
        const { port } = yield* Served
        const { body, path } = streams[style]
        const client = yield* wire(port)
        client.send(request(`POST ${path}`, [], body("Why?", {})))
        yield* upstream.arrived(2)
        yield* upstream.answer((res) => {
          res.writeHead(200, { "content-type": "text/event-stream" }).end(events[style].begin + events[style].end)
        })
        yield* client.until(1)
        const res = yield* leave(upstream, style, 3)
        yield* Effect.sleep("50 millis")
        res?.end(events[style].end)
        expect((yield* ended).slice(1)).toEqual([reported, reported])
      }).pipe(Effect.scoped, Effect.provide(served(upstream.port, undefined))))
  }

  for (const scenario of ["ok", "interval; ms=5"]) {
    it.live(`is read on in the built-in sandbox too: ${scenario}`, () =>
      Effect.gen(function* () {
        const { port } = yield* Served
        const { body, path } = streams.openai
        const sent = request(
          `POST ${path}`,
          [`x-tollgate-scenario: ${scenario}`],
          body("Why? ".repeat(50), { reasoning_effort: "high" })
        )
        const whole = yield* wire(port)
        whole.send(sent)
        yield* whole.until(1)
        const [stayed] = yield* ended
        const client = yield* wire(port)
        client.send(sent)
        yield* until(() => client.answers()[0]?.body.includes("data:") === true)
        client.socket.resetAndDestroy()
        yield* until(() => client.socket.destroyed)
        expect(yield* ended).toEqual([stayed, stayed])
        expect(stayed?.slice(0, 2)).toEqual(["settled", "settled"])
      }).pipe(Effect.scoped, Effect.provide(inSandbox))
    )
  }

  test("is still known after any number of reports without reasoning, which callers can ask for", (upstream) =>
    Effect.gen(function* () {
      const { port } = yield* Served
      const { body, path } = streams.openai
      const client = yield* wire(port)
      const end = (reasoning: number) =>
        events.openai.end.replace('"reasoning_tokens":4990', `"reasoning_tokens":${reasoning}`)
      for (let i = 1; i <= 10; i++) {
        client.send(request(`POST ${path}`, [], body("Why?", {})))
        yield* upstream.arrived(i)
        yield* upstream.answer((res) => {
          res.writeHead(200, { "content-type": "text/event-stream" }).end(events.openai.begin + end(i === 1 ? 1 : 0))
        })
        yield* client.until(i)
      }
      const res = yield* leave(upstream, "openai", 11)
      yield* Effect.sleep("50 millis")
      res?.end(end(4_990))
      expect(yield* ended).toEqual(Array.from({ length: 11 }, () => reported))
    }).pipe(Effect.scoped, Effect.provide(served(upstream.port, undefined))))

  test("is read on over half of its upstream's connections: the others stay with callers who have not left", (upstream) =>
    Effect.gen(function* () {
      const left: Array<Effect.Success<ReturnType<typeof leave>>> = []
      for (let i = 1; i <= 4; i++) left.push(yield* leave(upstream, "openai", i))
      yield* until(() => left.filter((res) => res?.destroyed === true).length === 2)
      const { port } = yield* Served
      const { body, path } = streams.openai
      const client = yield* wire(port)
      client.send(request(`POST ${path}`, [], body("Why?", {})))
      yield* upstream.arrived(5)
      yield* upstream.answer((res) => {
        res.writeHead(200, { "content-type": "text/event-stream" }).end(events.openai.begin + events.openai.end)
      })
      expect((yield* client.until(1))[0]?.status).toBe(200)
      for (const res of left) if (res?.destroyed === false) res.end(events.openai.end)
      const all = yield* ended
      expect(all.filter(([, cost]) => cost === "settled")).toEqual([reported, reported, reported])
      expect(all.filter(([, cost]) => cost === "estimated")).toHaveLength(2)
    }).pipe(Effect.scoped, Effect.provide(served(upstream.port, true, {}, 4))))

  test("is disconnected if its entry says that it does not think, or the time is zero", (upstream) =>
    Effect.gen(function* () {
      for (const layer of [served(upstream.port, false), served(upstream.port, true, { millis: 0 })]) {
        yield* Effect.gen(function* () {
          const res = yield* leave(upstream, "openai", upstream.received.length + 1)
          yield* until(() => res?.destroyed === true)
          expect((yield* ended)[0]?.[1]).toBe("estimated")
        }).pipe(Effect.provide(layer))
      }
    }))

  test("that only drips is read for the set time, then estimated", (upstream) =>
    Effect.gen(function* () {
      const res = yield* leave(upstream, "openai")
      const timer = setInterval(() => res?.write(": still thinking\n\n"), 20)
      const [[state, cost] = []] = yield* ended
      expect([state, cost]).toEqual(["settled", "estimated"])
      yield* until(() => res?.destroyed === true)
      clearInterval(timer)
    }).pipe(Effect.provide(served(upstream.port, true, { millis: 400 }))))

  test("that never ends is read for the set bytes, then estimated within the request's limit", (upstream) =>
    Effect.gen(function* () {
      const res = yield* leave(upstream, "anthropic")
      const piece = data({
        type: "content_block_delta",
        index: 0,
        delta: { type: "thinking_delta", thinking: "x".repeat(900) }
      })
      const pour = (): void => {
        while (res?.destroyed === false && res.write(piece)) {
          // Until its buffer is full.
        }
        if (res?.destroyed === false) res.once("drain", pour)
      }
      pour()
      expect(yield* ended).toEqual([["settled", "estimated", 30 + 500 * 17]])
      yield* until(() => res?.destroyed === true)
    }).pipe(Effect.provide(served(upstream.port, true, { bytes: 500_000 }))))

  test("holds a bounded number of connections: the others are disconnected", (upstream) =>
    Effect.gen(function* () {
      const left: Array<Effect.Success<ReturnType<typeof leave>>> = []
      for (let i = 1; i <= 8; i++) left.push(yield* leave(upstream, "openai", i))
      yield* until(() => left.filter((res) => res?.destroyed === true).length === 5)
      for (const res of left) if (res?.destroyed === false) res.end(events.openai.end)
      const all = yield* ended
      expect(all.filter(([, cost]) => cost === "settled")).toEqual([reported, reported, reported])
      expect(all.filter(([, cost]) => cost === "estimated")).toHaveLength(5)
    }).pipe(Effect.provide(served(upstream.port, true, { streams: 3 }))))

  test("is waited for when the gateway stops", (upstream) =>
    Effect.gen(function* () {
      const server = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Served.layer(), server)
      const res = yield* Effect.provideContext(leave(upstream, "openai"), context)
      const stopped = yield* Effect.forkChild(Scope.close(server, Exit.void))
      yield* Effect.sleep("50 millis")
      expect(stopped.pollUnsafe()).toBeUndefined()
      res?.end(events.openai.end)
      expect(yield* ended).toEqual([reported])
    }).pipe(Effect.provide(gateway(upstream.port, true))))

  test("is estimated when the time for stopping is over", (upstream) =>
    Effect.gen(function* () {
      const server = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Served.layer({ shutdownDeadline: 0 }), server)
      yield* Effect.provideContext(leave(upstream, "openai"), context)
      yield* Scope.close(server, Exit.void)
      expect((yield* ended).map(([state, cost]) => [state, cost])).toEqual([["settled", "estimated"]])
    }).pipe(Effect.provide(gateway(upstream.port, true))))

  test("is estimated when the gateway ends, also if no request belongs to it any more", (upstream) =>
    Effect.gen(function* () {
      const filename = files.next()
      const scope = yield* Scope.make()
      const layer = Layer.provideMerge(Served.layer(), gateway(upstream.port, true, {}, { filename }))
      const context = yield* Layer.buildWithScope(layer, scope)
      // A stream of an SDK that counts its attempts is pulled by a fiber of its own, and waits for a repeat first.
      const res = yield* Effect.provideContext(leave(upstream, "openai", 1, ["X-Stainless-Retry-Count: 0"]), context)
      yield* Effect.sleep("3 seconds")
      expect(res?.destroyed).toBe(false)
      yield* Scope.close(scope, Exit.void)
      const database = new DatabaseSync(filename, { readOnly: true })
      expect(database.prepare("SELECT state, cost_state FROM calls").all()).toEqual([
        { state: "settled", cost_state: "estimated" }
      ])
      database.close()
    }))
})
