import Anthropic from "@anthropic-ai/sdk"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { key, TestGateway } from "@tollgate/testing"
import { type Fate, droppingProxy } from "@tollgate/testing/hostile/droppingProxy"
import { completion, pausedUpstream, until } from "@tollgate/testing/hostile/pausedUpstream"
import { gatewayTo, providerAt, Served, servedTo } from "@tollgate/testing/hostile/Served"
import { calls, reservedTotal } from "@tollgate/testing/models"
import { alsoOnPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { temporaryFiles } from "@tollgate/testing/store/temporaryFiles"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { ServerResponse } from "node:http"
import { connect } from "node:net"
import OpenAI from "openai"
import { isAll } from "@tollgate-tooling/programs/counts.ts"

// Stock SDKs repeat a request by themselves if its answer is lost. They must not pay twice.

const files = temporaryFiles()
afterAll(files.remove)

const messages = [{ role: "user" as const, content: "Why do rivers bend?" }]

const sdks = {
  openai: {
    whole: async (baseUrl: string) => {
      const client = new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1` })
      const { choices } = await client.chat.completions.create({ model: "sandbox", messages })
      return choices[0]?.message.content
    },
    stream: async (baseUrl: string) => {
      const client = new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1` })
      let text = ""
      for await (const chunk of await client.chat.completions.create({ model: "sandbox", messages, stream: true })) {
        text += chunk.choices[0]?.delta.content ?? ""
      }
      return text
    }
  },
  anthropic: {
    whole: async (baseUrl: string) => {
      const client = new Anthropic({ apiKey: key, baseURL: baseUrl })
      const { content } = await client.messages.create({ model: "sandbox", max_tokens: 50, messages })
      return content.map((block) => (block.type === "text" ? block.text : "")).join("")
    },
    stream: async (baseUrl: string) => {
      const client = new Anthropic({ apiKey: key, baseURL: baseUrl })
      const stream = await client.messages.create({ model: "sandbox", max_tokens: 50, messages, stream: true })
      let text = ""
      for await (const event of stream) {
        if (event.type === "content_block_delta" && event.delta.type === "text_delta") text += event.delta.text
      }
      return text
    }
  }
}

const json = { "content-type": "application/json" }
const events = { "content-type": "text/event-stream" }
const event = (data: object) =>
  `event: ${"type" in data ? String(data.type) : "message"}\ndata: ${JSON.stringify(data)}\n\n`

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "sandbox", choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`

/** Numbers its answers, so that one which was executed twice shows. Each bills 10 tokens in and 20 out. */
const answering = () => {
  let executed = 0
  return (res: ServerResponse, { body, url }: { readonly body: string; readonly url: string }) => {
    const text = `Because ${++executed}.`
    const wantsEvents = body.includes('"stream":true')
    if (url.includes("messages")) {
      const usage = { input_tokens: 10, output_tokens: 20 }
      const message = { id: "m", type: "message", role: "assistant", model: "sandbox", stop_reason: null, usage }
      if (!wantsEvents) {
        return void res.writeHead(200, json).end(JSON.stringify({ ...message, content: [{ type: "text", text }] }))
      }
      res.writeHead(200, events)
      res.write(event({ type: "message_start", message: { ...message, content: [] } }))
      res.write(event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }))
      res.write(event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }))
      res.write(event({ type: "content_block_stop", index: 0 }))
      res.write(event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 20 } }))
      return void res.end(event({ type: "message_stop" }))
    }
    const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
    if (!wantsEvents) {
      const choices = [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }]
      return void res
        .writeHead(200, json)
        .end(JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "sandbox", choices, usage }))
    }
    res.writeHead(200, events)
    res.write(chunk({ role: "assistant", content: text }))
    res.write(chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }))
    res.write(chunk({}, { choices: [], usage }))
    res.end("data: [DONE]\n\n")
  }
}

/** The price of 10 tokens in and 20 out, at 3 and 17 USD per million. */
const charged = 370

const providers = (port: number) => ({
  "chat.completions": providerAt(port, { name: "o", protocol: "openai" }),
  messages: providerAt(port, { name: "a", protocol: "anthropic" })
})

const total = Effect.map(calls, (all) => all.reduce((sum, call) => sum + call.charged, 0))

const settled = Effect.gen(function* () {
  while ((yield* calls).some(({ state }) => state === "open")) yield* Effect.sleep("5 millis")
})

const everyFate: ReadonlyArray<ReadonlyArray<Fate>> = [["lost"], ["cut"], ["lost", "cut"]]

describe("an answer that is lost on its way", () => {
  for (const sdk of isAll ? (["openai", "anthropic"] as const) : (["openai"] as const)) {
    for (const kind of ["whole", "stream"] as const) {
      for (const fates of isAll ? everyFate : everyFate.slice(0, 2)) {
        it.live(`${sdk}, ${kind}, ${fates.join(" and ")}: its own retry gets it, and it is paid once`, () =>
          Effect.gen(function* () {
            const upstream = yield* httpUpstream(answering())
            yield* Effect.gen(function* () {
              const { port } = yield* Served
              const proxy = yield* droppingProxy([port], fates)
              expect(yield* Effect.promise(() => sdks[sdk][kind](proxy.baseUrl))).toBe("Because 1.")
              expect(proxy.counts).toEqual([...fates.map((_, i) => String(i)), String(fates.length)])
              expect(proxy.replayed.slice(1)).toEqual(fates.map(() => true))
              expect(upstream.received).toHaveLength(1)
              yield* settled
              expect(yield* total).toBe(charged)
              expect(yield* reservedTotal).toBe(0)
            }).pipe(Effect.provide(servedTo(providers(upstream.port))))
          }).pipe(Effect.scoped)
        )
      }
    }
  }
})

const body = JSON.stringify({ model: "sandbox", max_tokens: 50, messages })

const ask = (baseUrl: string, count: number | string, headers: Record<string, string> = {}, text = body) =>
  Effect.promise(async () => {
    const response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "x-stainless-retry-count": String(count),
        ...headers
      },
      body: text
    })
    return {
      status: response.status,
      replayed: response.headers.get("idempotent-replayed") === "true",
      mayRetry: response.headers.get("x-should-retry") !== "false",
      cost: response.headers.get("x-tollgate-cost-micros-usd"),
      text: await response.text()
    }
  })

const served = <A, E>(
  use: (baseUrl: string, received: ReadonlyArray<unknown>) => Effect.Effect<A, E, Served | TestGateway>
) =>
  Effect.gen(function* () {
    const upstream = yield* httpUpstream(answering())
    yield* Effect.gen(function* () {
      const { baseUrl } = yield* Served
      yield* use(baseUrl, upstream.received)
    }).pipe(Effect.provide(servedTo(providers(upstream.port))))
  }).pipe(Effect.scoped)

describe("attempts", () => {
  it.live("first attempts with the same bytes are calls of their own, and each has one repeat", () =>
    served((baseUrl) =>
      Effect.gen(function* () {
        const first = yield* Effect.all([ask(baseUrl, 0), ask(baseUrl, 0)], { concurrency: 2 })
        expect(new Set(first.map(({ text }) => text)).size).toBe(2)
        const again = yield* Effect.all([ask(baseUrl, 1), ask(baseUrl, 1)], { concurrency: 2 })
        expect(again.map(({ replayed }) => replayed)).toEqual([true, true])
        expect(new Set(again.map(({ text }) => text))).toEqual(new Set(first.map(({ text }) => text)))
        // A third repeat has no first attempt left.
        expect((yield* ask(baseUrl, 1)).text).toContain("Because 3.")
        expect(yield* total).toBe(3 * charged)
      })
    )
  )

  it.live("what differs in anything, or does not count, is a call of its own", () =>
    served((baseUrl, received) =>
      Effect.gen(function* () {
        yield* ask(baseUrl, 0)
        const others = [
          ask(baseUrl, 1, {}, body.replace("rivers", "roads")),
          ask(baseUrl, 1, { "idempotency-key": "own" }),
          ask(baseUrl, 1, { "openai-beta": "x" }),
          ask(baseUrl, "01x"),
          ask(baseUrl, "-1"),
          ask(baseUrl, "99999999999999999999")
        ]
        for (const other of others) expect((yield* other).replayed).toBe(false)
        expect(received).toHaveLength(1 + others.length)
      })
    )
  )

  it.live("a repeat waits for the call while it runs", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const { baseUrl } = yield* Served
        const first = yield* Effect.forkChild(ask(baseUrl, 0))
        yield* upstream.arrived(1)
        const again = yield* Effect.forkChild(ask(baseUrl, 1))
        const third = yield* Effect.forkChild(ask(baseUrl, 2))
        yield* Effect.sleep("100 millis")
        yield* upstream.answer(completion(10, 20))
        const answers = yield* Effect.all([Fiber.join(first), Fiber.join(again), Fiber.join(third)])
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
        expect(answers.map(({ replayed, status }) => [status, replayed])).toEqual([
          [200, false],
          [200, true],
          [200, true]
        ])
        expect(upstream.received).toHaveLength(1)
        expect(yield* total).toBe(charged)
      }).pipe(Effect.provide(servedTo(providers(upstream.port))))
    }).pipe(Effect.scoped)
  )

  it.live("a repeat of what failed without a charge is executed", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const { baseUrl } = yield* Served
        const first = yield* Effect.forkChild(ask(baseUrl, 0))
        yield* upstream.arrived(1)
        const again = yield* Effect.forkChild(ask(baseUrl, 1))
        yield* upstream.answer((res) => void res.writeHead(429, { "retry-after": "1" }).end("{}"))
        expect((yield* Fiber.join(first)).status).toBe(429)
        yield* upstream.arrived(2)
        yield* upstream.answer(completion(10, 20))
        expect(yield* Fiber.join(again)).toMatchObject({ status: 200, replayed: false })
        expect(yield* ask(baseUrl, 2)).toMatchObject({ status: 200, replayed: true })
        expect(yield* total).toBe(charged)
      }).pipe(Effect.provide(servedTo(providers(upstream.port))))
    }).pipe(Effect.scoped)
  )

  it.live("a repeat of what may have run is refused, and says so", () =>
    Effect.gen(function* () {
      const upstream = yield* httpUpstream((res) => res.destroy())
      yield* Effect.gen(function* () {
        const { baseUrl } = yield* Served
        expect(yield* ask(baseUrl, 0)).toMatchObject({ status: 502, mayRetry: false })
        const again = yield* ask(baseUrl, 1)
        expect(again).toMatchObject({ status: 409, mayRetry: false })
        expect(again.text).toContain("idempotency_unknown")
        expect(upstream.received).toHaveLength(1)
      }).pipe(Effect.provide(servedTo(providers(upstream.port))))
    }).pipe(Effect.scoped)
  )

  it.live("a caller who has spent everything still gets the answer", () =>
    served((baseUrl) =>
      Effect.gen(function* () {
        yield* ask(baseUrl, 0)
        const { accounts } = yield* TestGateway
        const [own] = yield* accounts.listKeys()
        yield* accounts.changeKey(own!.id, { budget: micro(0n) })
        expect(yield* ask(baseUrl, 1)).toMatchObject({ status: 200, replayed: true })
        expect((yield* ask(baseUrl, 1)).status).toBe(402)
      })
    )
  )

  it.live("a stream that was left at its beginning goes on for the repeat", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const { baseUrl, port } = yield* Served
        const proxy = yield* droppingProxy([port], ["cut"])
        const wanted = yield* Effect.forkChild(Effect.promise(() => sdks.openai.stream(proxy.baseUrl)))
        yield* upstream.arrived(1)
        const [res] = yield* upstream.answer((res) => {
          res.writeHead(200, events)
          res.write(chunk({ role: "assistant", content: "Because" }))
        })
        // The retry has come, and has got the beginning.
        yield* until(() => proxy.replayed[1] === true)
        res!.write(chunk({ content: " of the water." }))
        res!.write(chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }))
        res!.write(chunk({}, { choices: [], usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } }))
        res!.end("data: [DONE]\n\n")
        expect(yield* Fiber.join(wanted)).toBe("Because of the water.")
        yield* settled
        expect(upstream.received).toHaveLength(1)
        expect(yield* total).toBe(charged)
        // It can be read again from its beginning, too.
        const stream = JSON.stringify({ model: "sandbox", messages, stream: true })
        const again = yield* ask(baseUrl, 2, {}, stream)
        expect(again.replayed).toBe(true)
        expect(again.text).toContain("of the water.")
      }).pipe(Effect.provide(servedTo(providers(upstream.port))))
    }).pipe(Effect.scoped)
  )

  it.live(
    "a stream that was left and not asked for again ends, is charged once, and is not executed by a late repeat",
    () =>
      Effect.gen(function* () {
        const upstream = yield* pausedUpstream
        yield* Effect.gen(function* () {
          const { baseUrl } = yield* Served
          const stream = JSON.stringify({ model: "sandbox", messages, stream: true })
          const leaving = new AbortController()
          const left = fetch(`${baseUrl}/v1/chat/completions`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${key}`,
              "content-type": "application/json",
              "x-stainless-retry-count": "0"
            },
            body: stream,
            signal: leaving.signal
          })
          yield* upstream.arrived(1)
          const [res] = yield* upstream.answer((res) => {
            res.writeHead(200, events)
            res.write(chunk({ role: "assistant", content: "Because" }))
          })
          const response = yield* Effect.promise(() => left)
          yield* Effect.promise(() => response.body!.getReader().read())
          leaving.abort()
          yield* until(() => res!.closed)
          yield* settled
          const paid = yield* total
          expect(paid).toBeGreaterThan(0)
          const late = yield* ask(baseUrl, 1, {}, stream)
          expect(late).toMatchObject({ status: 409, mayRetry: false })
          expect(late.text).toContain("idempotency_completed")
          expect(upstream.received).toHaveLength(1)
          expect(yield* total).toBe(paid)
          expect(yield* reservedTotal).toBe(0)
        }).pipe(Effect.provide(servedTo(providers(upstream.port))))
      }).pipe(Effect.scoped)
  )

  it.live("a call that was refused before it was read has a repeat of its own", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const { baseUrl } = yield* Served
        const { account, accounts } = yield* TestGateway
        yield* accounts.change(account, { concurrency: 1 })
        const first = yield* Effect.forkChild(ask(baseUrl, 0))
        yield* upstream.arrived(1)
        expect((yield* ask(baseUrl, 0)).status).toBe(429)
        yield* upstream.answer(completion(10, 20))
        yield* Fiber.join(first)
        // One of two equal requests was refused: the repeat is for that one.
        const again = yield* Effect.forkChild(ask(baseUrl, 1))
        yield* upstream.arrived(2)
        yield* upstream.answer(completion(10, 20))
        expect(yield* Fiber.join(again)).toMatchObject({ status: 200, replayed: false })
        expect(yield* ask(baseUrl, 2)).toMatchObject({ status: 200, replayed: true })
      }).pipe(Effect.provide(servedTo(providers(upstream.port), { limits: true })))
    }).pipe(Effect.scoped)
  )

  it.live("a repeat that was refused because the call itself holds the key's place is the same call again", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const { baseUrl } = yield* Served
        const { account, accounts } = yield* TestGateway
        yield* accounts.change(account, { concurrency: 1 })
        const first = yield* Effect.forkChild(ask(baseUrl, 0))
        yield* upstream.arrived(1)
        expect((yield* ask(baseUrl, 1)).status).toBe(429)
        expect((yield* ask(baseUrl, 2)).status).toBe(429)
        yield* upstream.answer(completion(10, 20))
        yield* Fiber.join(first)
        expect(yield* ask(baseUrl, 3)).toMatchObject({ status: 200, replayed: true })
        expect(upstream.received).toHaveLength(1)
        expect(yield* total).toBe(charged)
      }).pipe(Effect.provide(servedTo(providers(upstream.port), { limits: true })))
    }).pipe(Effect.scoped)
  )

  it.live("a call that is refused again and again before it is read stays a call of its own", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const { baseUrl } = yield* Served
        const { account, accounts } = yield* TestGateway
        yield* accounts.change(account, { concurrency: 1 })
        const first = yield* Effect.forkChild(ask(baseUrl, 0))
        yield* upstream.arrived(1)
        for (const count of [0, 1, 2]) expect((yield* ask(baseUrl, count)).status).toBe(429)
        yield* upstream.answer(completion(10, 20))
        yield* Fiber.join(first)
        const again = yield* Effect.forkChild(ask(baseUrl, 3))
        yield* upstream.arrived(2)
        yield* upstream.answer(completion(10, 20))
        expect(yield* Fiber.join(again)).toMatchObject({ status: 200, replayed: false })
      }).pipe(Effect.provide(servedTo(providers(upstream.port), { limits: true })))
    }).pipe(Effect.scoped)
  )

  it.live("a gateway that starts again knows what was executed", () =>
    Effect.gen(function* () {
      const upstream = yield* httpUpstream(answering())
      const filename = files.next()
      const gateway = servedTo(providers(upstream.port), { filename })
      const run = <A, E, R>(use: (baseUrl: string) => Effect.Effect<A, E, R>) =>
        Effect.provide(
          Effect.flatMap(Served, ({ baseUrl }) => use(baseUrl)),
          Layer.fresh(gateway)
        )
      yield* run((baseUrl) => ask(baseUrl, 0))
      yield* run((baseUrl) =>
        Effect.gen(function* () {
          expect(yield* ask(baseUrl, 1)).toMatchObject({ status: 409, mayRetry: false })
          expect(yield* total).toBe(charged)
        })
      )
      expect(upstream.received).toHaveLength(1)
    }).pipe(Effect.scoped)
  )

  it.live("a hostile caller who always counts one just makes calls", () =>
    served((baseUrl, received) =>
      Effect.gen(function* () {
        for (let i = 0; i < 20; i++) expect((yield* ask(baseUrl, 1)).replayed).toBe(false)
        expect(received).toHaveLength(20)
        expect(yield* total).toBe(20 * charged)
      })
    )
  )
})

const streamed = JSON.stringify({ model: "sandbox", messages, stream: true })

/** A request on a connection of its own, all of which the gateway has but its last byte. */
const heldBack = Effect.fnUntraced(function* (baseUrl: string, count: number, text = body) {
  const { hostname, port } = new URL(baseUrl)
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => connect(Number(port), hostname)),
    (socket) => Effect.sync(() => socket.destroy())
  )
  let answer = ""
  socket.setEncoding("utf8").on("data", (some: string) => void (answer += some))
  const head =
    "POST /v1/chat/completions HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\n" +
    `authorization: Bearer ${key}\r\nx-stainless-retry-count: ${count}\r\ncontent-length: ${text.length}\r\n\r\n`
  yield* Effect.promise(() => new Promise((sent) => socket.write(head + text.slice(0, -1), sent)))
  // The gateway has read it when it answers what was sent later, and the next request comes in a later millisecond.
  yield* Effect.promise(() => fetch(`${baseUrl}/`))
  yield* Effect.sleep("2 millis")
  const isWhole = () => {
    const [head = "", received = ""] = answer.split("\r\n\r\n")
    const length = /content-length: (\d+)/i.exec(head)?.[1]
    return length === undefined ? answer.endsWith("\r\n0\r\n\r\n") : received.length === Number(length)
  }
  const complete = Effect.gen(function* () {
    socket.write(text.slice(-1))
    yield* until(isWhole)
    return { status: Number(answer.slice(9, 12)), replayed: /idempotent-replayed: true/i.test(answer), text: answer }
  })
  return { complete }
})

const sendRaw = (baseUrl: string, count: number, text = body) =>
  Effect.flatMap(heldBack(baseUrl, count, text), ({ complete }) => complete)

describe("an attempt that is overtaken by a repeat", () => {
  for (const reader of isAll ? (["own", "node:http"] as const) : (["own"] as const)) {
    const servedBy = (port: number) =>
      Layer.provideMerge(Served.layer({ fastReader: reader === "own" }), gatewayTo(providers(port)))

    const test = (
      what: string,
      use: (baseUrl: string, received: ReadonlyArray<unknown>) => Effect.Effect<void, never, TestGateway | Scope.Scope>
    ) =>
      it.live(`${reader}: ${what}`, () =>
        Effect.gen(function* () {
          const upstream = yield* httpUpstream(answering())
          yield* Effect.gen(function* () {
            yield* use((yield* Served).baseUrl, upstream.received)
            expect(yield* reservedTotal).toBe(0)
          }).pipe(Effect.provide(servedBy(upstream.port)))
        }).pipe(Effect.scoped)
      )

    for (const [kind, text] of [
      ["whole", body],
      ["stream", streamed]
    ] as const) {
      test(`${kind}: it gets the answer of the repeat, and it is paid once`, (baseUrl, received) =>
        Effect.gen(function* () {
          const first = yield* heldBack(baseUrl, 0, text)
          expect(yield* sendRaw(baseUrl, 1, text)).toMatchObject({ status: 200, replayed: false })
          const overtaken = yield* first.complete
          expect(overtaken).toMatchObject({ status: 200, replayed: true })
          expect(overtaken.text).toContain("Because 1.")
          expect(received).toHaveLength(1)
          yield* settled
          expect(yield* total).toBe(charged)
        }))
    }

    test("a third attempt overtakes the second and the first", (baseUrl, received) =>
      Effect.gen(function* () {
        const first = yield* heldBack(baseUrl, 0)
        const second = yield* heldBack(baseUrl, 1)
        yield* sendRaw(baseUrl, 2)
        expect((yield* second.complete).replayed).toBe(true)
        expect((yield* first.complete).replayed).toBe(true)
        expect(received).toHaveLength(1)
      }))

    test("a third attempt joins the first and overtakes the second", (baseUrl, received) =>
      Effect.gen(function* () {
        yield* sendRaw(baseUrl, 0)
        const second = yield* heldBack(baseUrl, 1)
        expect((yield* sendRaw(baseUrl, 2)).replayed).toBe(true)
        expect((yield* second.complete).replayed).toBe(true)
        expect(received).toHaveLength(1)
      }))

    test("only one first attempt, and only one that began before the repeat", (baseUrl, received) =>
      Effect.gen(function* () {
        const first = yield* heldBack(baseUrl, 0)
        const other = yield* heldBack(baseUrl, 0)
        yield* sendRaw(baseUrl, 1)
        const later = yield* heldBack(baseUrl, 0)
        expect((yield* later.complete).replayed).toBe(false)
        expect((yield* sendRaw(baseUrl, 0)).replayed).toBe(false)
        expect((yield* first.complete).replayed).toBe(true)
        expect((yield* other.complete).replayed).toBe(false)
        expect(received).toHaveLength(4)
      }))

    test("one that begins while a repeat joins another call is a call of its own", (baseUrl, received) =>
      Effect.gen(function* () {
        yield* sendRaw(baseUrl, 0)
        const other = yield* heldBack(baseUrl, 0)
        expect((yield* sendRaw(baseUrl, 1)).replayed).toBe(true)
        expect((yield* other.complete).replayed).toBe(false)
        expect(received).toHaveLength(2)
      }))

    it.live(`${reader}: it waits while the repeat runs, and is executed if that failed without a charge`, () =>
      Effect.gen(function* () {
        const upstream = yield* pausedUpstream
        yield* Effect.gen(function* () {
          const { baseUrl } = yield* Served
          const first = yield* heldBack(baseUrl, 0)
          const again = yield* Effect.forkChild(sendRaw(baseUrl, 1))
          yield* upstream.arrived(1)
          // `node:http` reads on what has been arriving for so long.
          yield* Effect.sleep("250 millis")
          const overtaken = yield* Effect.forkChild(first.complete)
          yield* upstream.answer((res) => void res.writeHead(429, { "retry-after": "1" }).end("{}"))
          expect((yield* Fiber.join(again)).status).toBe(429)
          yield* upstream.arrived(2)
          const third = yield* Effect.forkChild(sendRaw(baseUrl, 2))
          yield* upstream.answer(completion(10, 20))
          expect(yield* Fiber.join(overtaken)).toMatchObject({ status: 200, replayed: false })
          expect(yield* Fiber.join(third)).toMatchObject({ status: 200, replayed: true })
          expect(yield* total).toBe(charged)
        }).pipe(Effect.provide(servedBy(upstream.port)))
      }).pipe(Effect.scoped)
    )
  }
})

describe.runIf(alsoOnPostgres)("two gateways on one database", () => {
  const two = Effect.fnUntraced(function* (port: number) {
    const database = yield* migratedDatabase
    const gateway = Layer.provideMerge(Served.layer(), gatewayTo(providers(port), { database }))
    const first = yield* Layer.build(Layer.fresh(gateway))
    const scope = yield* Scope.fork(yield* Effect.scope)
    const second = yield* Layer.buildWithScope(Layer.fresh(gateway), scope)
    const ports = [first, second].map((context) => Context.get(context, Served).port)
    const on = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, first)
    const stopSecond = Scope.close(scope, Exit.void)
    return { ports, on, stopSecond, baseUrls: ports.map((port) => `http://127.0.0.1:${port}`) }
  })

  for (const sdk of ["openai", "anthropic"] as const) {
    it.live(`${sdk}: the retry at the other gateway gets the answer, and it is paid once`, () =>
      Effect.gen(function* () {
        const upstream = yield* httpUpstream(answering())
        const { on, ports } = yield* two(upstream.port)
        const proxy = yield* droppingProxy(ports, ["lost", "lost"])
        expect(yield* Effect.promise(() => sdks[sdk].whole(proxy.baseUrl))).toBe("Because 1.")
        expect([proxy.counts, proxy.replayed]).toEqual([
          ["0", "1", "2"],
          [false, true, true]
        ])
        expect(upstream.received).toHaveLength(1)
        expect(yield* on(total)).toBe(charged)
      }).pipe(Effect.scoped)
    )

    for (const fate of ["lost", "cut"] as const) {
      it.live(`${sdk}, a stream that is ${fate}: the retry at the other gateway gets it, and it is paid once`, () =>
        Effect.gen(function* () {
          const upstream = yield* httpUpstream(answering())
          const { on, ports } = yield* two(upstream.port)
          const proxy = yield* droppingProxy(ports, [fate])
          expect(yield* Effect.promise(() => sdks[sdk].stream(proxy.baseUrl))).toBe("Because 1.")
          expect([proxy.counts, proxy.replayed]).toEqual([
            ["0", "1"],
            [false, true]
          ])
          expect(upstream.received).toHaveLength(1)
          yield* on(settled)
          expect(yield* on(total)).toBe(charged)
        }).pipe(Effect.scoped)
      )
    }
  }

  it.live("a stream that was left at its beginning goes on for a repeat at the other gateway", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      const { on, ports } = yield* two(upstream.port)
      const proxy = yield* droppingProxy(ports, ["cut"])
      const wanted = yield* Effect.forkChild(Effect.promise(() => sdks.openai.stream(proxy.baseUrl)))
      yield* upstream.arrived(1)
      const [res] = yield* upstream.answer((res) => {
        res.writeHead(200, events)
        res.write(chunk({ role: "assistant", content: "Because" }))
      })
      yield* until(() => proxy.counts.length === 2)
      // Longer than it would wait for a repeat.
      yield* Effect.sleep("4 seconds")
      res!.write(chunk({ content: " of the water." }))
      res!.write(chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }))
      res!.write(chunk({}, { choices: [], usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } }))
      res!.end("data: [DONE]\n\n")
      expect(yield* Fiber.join(wanted)).toBe("Because of the water.")
      expect(upstream.received).toHaveLength(1)
      expect(yield* on(total)).toBe(charged)
    }).pipe(Effect.scoped)
  )

  it.live("an answer that is in the memory of the other gateway alone is asked for", () =>
    Effect.gen(function* () {
      const upstream = yield* httpUpstream(answering())
      const { baseUrls, on } = yield* two(upstream.port)
      const [a = "", b = ""] = baseUrls
      yield* ask(a, 0)
      yield* on(TestGateway.use(({ sql }) => sql`DELETE FROM answers`))
      const again = yield* ask(b, 1)
      expect(again).toMatchObject({ status: 200, replayed: true })
      expect(again.text).toContain("Because 1.")
      expect(yield* on(total)).toBe(charged)
    }).pipe(Effect.scoped)
  )

  for (const [kind, text] of [
    ["whole", body],
    ["stream", streamed]
  ] as const) {
    it.live(`${kind}: an attempt that a repeat at the other gateway has overtaken gets its answer`, () =>
      Effect.gen(function* () {
        const upstream = yield* httpUpstream(answering())
        const { baseUrls, on } = yield* two(upstream.port)
        const [a = "", b = ""] = baseUrls
        const first = yield* heldBack(a, 0, text)
        expect((yield* sendRaw(b, 1, text)).replayed).toBe(false)
        const overtaken = yield* first.complete
        expect(overtaken).toMatchObject({ status: 200, replayed: true })
        expect(overtaken.text).toContain("Because 1.")
        expect((yield* sendRaw(a, 0, text)).replayed).toBe(false)
        expect(upstream.received).toHaveLength(2)
        yield* on(settled)
        expect(yield* on(total)).toBe(2 * charged)
      }).pipe(Effect.scoped)
    )
  }

  it.live("what a gateway held that has stopped since is refused, and not executed again", () =>
    Effect.gen(function* () {
      const upstream = yield* httpUpstream(answering())
      const { baseUrls, on, stopSecond } = yield* two(upstream.port)
      const [a = "", b = ""] = baseUrls
      const stream = JSON.stringify({ model: "sandbox", messages, stream: true })
      yield* ask(b, 0, {}, stream)
      yield* stopSecond
      expect(yield* ask(a, 1, {}, stream)).toMatchObject({ status: 409, mayRetry: false })
      expect(upstream.received).toHaveLength(1)
      expect(yield* on(total)).toBe(charged)
    }).pipe(Effect.scoped)
  )

  it.live("a repeat waits for a call that runs at the other gateway, and two repeats take two calls", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      const { baseUrls, on } = yield* two(upstream.port)
      const [a = "", b = ""] = baseUrls
      const first = yield* Effect.forkChild(Effect.all([ask(a, 0), ask(a, 0)], { concurrency: 2 }))
      yield* upstream.arrived(2)
      const again = yield* Effect.forkChild(Effect.all([ask(b, 1), ask(a, 1)], { concurrency: 2 }))
      yield* Effect.sleep("300 millis")
      let answers = 0
      yield* upstream.answer((res) => completion(10, 20 + ++answers)(res))
      yield* Fiber.join(first)
      const repeated = yield* Fiber.join(again)
      expect(repeated.map(({ replayed }) => replayed)).toEqual([true, true])
      expect(new Set(repeated.map(({ text }) => text)).size).toBe(2)
      expect(upstream.received).toHaveLength(2)
      expect((yield* on(calls)).map(({ state }) => state).toSorted()).toEqual([
        "replayed",
        "replayed",
        "settled",
        "settled"
      ])
    }).pipe(Effect.scoped)
  )
})
