import { expect, it, layer } from "@effect/vitest"
import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { chatCompletionsStream, type Client, rerank, resume, textOf, videoCreate } from "@tollgate/client"
import { NodeClient } from "@tollgate/node/effect"
import { Host, key, TestGateway } from "@tollgate/testing"
import { type Arrived, headOf, type Misbehaviour, misbehaving } from "@tollgate/testing/client/misbehaving"
import { calls, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const html = "<html><body>Please wait</body></html>"

/** A page of the proxy, with nothing of the gateway's answer. */
const page =
  (status: number): Misbehaviour =>
  () =>
    status === 204 || status === 304
      ? headOf(status, { connection: "close" })
      : headOf(status, { "content-type": "text/html", "content-length": html.length, connection: "close" }) + html

/** Those that proxies use, and some that nobody uses. The first ones matter most. */
const statuses = [
  200, 302, 403, 418, 429, 499, 502, 504, 401, 404, 204, 304, 201, 202, 203, 206, 226, 299, 300, 301, 303, 307, 308,
  400, 402, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 424, 425, 426, 428, 431,
  444, 451, 460, 494, 500, 501, 503, 505, 507, 508, 511, 520, 521, 522, 523, 524, 525, 526, 527, 530, 561, 598, 599
].slice(0, countOf("FLAKY_STATUSES", 6, 100))

const half = ({ body }: Arrived) => body.subarray(0, body.length / 2)

const sized = ({ headers, status }: Arrived, body: Buffer, length: number) =>
  Buffer.concat([Buffer.from(headOf(status, { ...headers, "content-length": length, connection: "close" })), body])

const chunked = ({ headers, status }: Arrived, ...chunks: ReadonlyArray<Buffer | string>) =>
  Buffer.concat([
    Buffer.from(headOf(status, { ...headers, "transfer-encoding": "chunked", connection: "close" })),
    ...chunks.map((chunk) => Buffer.from(chunk))
  ])

const chunk = (bytes: Buffer) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes])

/** The body up to and including its first event, and what follows. */
const events = ({ body }: Arrived) => {
  const end = body.indexOf("\n\n") + 2
  return { first: body.subarray(0, end), more: body.subarray(end) }
}

const cuts: Readonly<Record<string, Misbehaviour | "unseen">> = {
  "before the gateway": "unseen",
  "before the head": () => "",
  "in the first line": () => "HTTP/1.1 2",
  "in the head": ({ headers, status }) => headOf(status, headers).slice(0, -10),
  "after the head": (arrived) => sized(arrived, Buffer.alloc(0), arrived.body.length),
  "in the body": (arrived) => sized(arrived, half(arrived), arrived.body.length),
  "before the last byte": (arrived) => sized(arrived, arrived.body.subarray(0, -1), arrived.body.length),
  "in the body, and the length says so": (arrived) => sized(arrived, half(arrived), half(arrived).length),
  "in a chunk": (arrived) => chunked(arrived, chunk(arrived.body).subarray(0, 20)),
  "between chunks": (arrived) => chunked(arrived, chunk(half(arrived)), "\r\n"),
  "in the size of a chunk": (arrived) => chunked(arrived, chunk(half(arrived)), "\r\n1"),
  "before the last chunk": (arrived) => chunked(arrived, chunk(arrived.body), "\r\n"),
  "to nothing": (arrived) => sized(arrived, Buffer.alloc(0), 0),
  "by a page": (arrived) => sized(arrived, Buffer.from(html), html.length)
}

const cutEvents: Readonly<Record<string, Misbehaviour | "unseen">> = {
  "after an event": (arrived) => chunked(arrived, chunk(events(arrived).first), "\r\n"),
  "after an event, and the body ends well": (arrived) =>
    chunked(arrived, chunk(events(arrived).first), "\r\n0\r\n\r\n"),
  "in the second event": (arrived) => {
    const { first, more } = events(arrived)
    return chunked(arrived, chunk(Buffer.concat([first, more.subarray(0, 9)])), "\r\n0\r\n\r\n")
  },
  "in the first event": (arrived) => chunked(arrived, chunk(arrived.body.subarray(0, 9)), "\r\n0\r\n\r\n")
}

const pages = statuses.map((status) => [`${status} of the proxy`, page(status)] as const)
const wholes = [...pages, ...Object.entries(cuts)]
// After its last event a stream is complete.
const streams = [...wholes.filter(([name]) => !name.startsWith("before the last")), ...Object.entries(cutEvents)]

const question = { query: "river mountain sea", documents: ["river mountain sea shore ".repeat(50)] } as const
const video = { model: "sandbox-video", input: { prompt: "a river" } }
const stream = chatCompletionsStream({ model: "sandbox", messages: [{ role: "user", content: "Why do rivers bend?" }] })

const text = <E, R>(events: Stream.Stream<Readonly<Record<string, unknown>>, E, R>) =>
  Stream.runFold(
    events,
    () => "",
    (all, event) => all + textOf(event)
  )

/** The call's error, which has to say how to go on. */
const failureOf = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<Error, never, R> =>
  Effect.map(Effect.orDie(Effect.flip(call)), (error) => {
    expect(error).toMatchObject({ idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) })
    expect((error as { readonly outcome?: string }).outcome).not.toBe("not executed")
    return error as Error
  })

const gateway = Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))

const rowsOf = Effect.map(calls, (all) => all.filter(({ state }) => state !== "replayed").length)
const billedOf = TestGateway.use(({ billingLog }) => billingLog.count)

/** Runs the test behind the proxy, which misbehaves at the first request. */
const behind = <A, E>(misbehaviour: Misbehaviour | "unseen", retries: number, test: Effect.Effect<A, E, Client>) =>
  Effect.gen(function* () {
    const { baseUrl, next } = yield* misbehaving((yield* Host).baseUrl)
    next(misbehaviour)
    const client = NodeClient.layer({ credential: key, baseUrl, pace: false, retries, retry: { backoffMillis: 1 } })
    return yield* Effect.provide(test, client)
  }).pipe(Effect.scoped)

layer(gateway, { excludeTestServices: true })("a proxy misbehaves once, and the call is charged once", (it) => {
  const once = (...args: Parameters<typeof behind>) =>
    Effect.gen(function* () {
      const before = [yield* rowsOf, yield* billedOf]
      yield* behind(...args)
      expect([yield* rowsOf, yield* billedOf]).toEqual(before.map((count) => count + 1))
    })

  it.effect.each(wholes)("%s: resume has the answer", ([, misbehaviour]) =>
    once(
      misbehaviour,
      0,
      Effect.gen(function* () {
        const error = yield* failureOf(rerank(question))
        expect((yield* resume(rerank, error)).results).toHaveLength(1)
      })
    )
  )

  it.effect.each(wholes)("%s: a retry, or else resume, has the answer", ([, misbehaviour]) =>
    once(
      misbehaviour,
      3,
      Effect.gen(function* () {
        const { results } = yield* Effect.catch(rerank(question), (error) => resume(rerank, error))
        expect(results).toHaveLength(1)
      })
    )
  )

  it.effect.each(streams)("a stream, %s: resume says that it ran, or runs it", ([, misbehaviour]) =>
    once(
      misbehaviour,
      3,
      Effect.gen(function* () {
        const error = yield* failureOf(text(stream))
        const resumed = text(resume(chatCompletionsStream, error))
        if (misbehaviour === "unseen") return expect(yield* resumed).not.toBe("")
        const refused = yield* Effect.flip(resumed)
        expect(refused).toMatchObject({ _tag: "Conflict", code: "idempotency_completed", outcome: "executed" })
      })
    )
  )
})

// A task holds a place until it ends, so each has a gateway of its own.
const created = wholes.filter(([name]) => /^(200|302|403|429|502) |^(before|in the|by)/.test(name))

it.live.each(created)("a call that creates, %s: resume has its only task", ([, misbehaviour]) =>
  Effect.gen(function* () {
    const program = Effect.flatMap(failureOf(videoCreate(video)), (error) => resume(videoCreate, error))
    expect((yield* behind(misbehaviour, 3, program)).output.task_id).not.toBe("")
    expect(yield* rowsOf).toBe(1)
  }).pipe(Effect.provide(gateway))
)
