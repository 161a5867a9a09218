import { beforeAll, describe, expect, it } from "@effect/vitest"
import { type EventStream, finalMessage, type PromiseClient, tee, toReadableStream, toResponse } from "@tollgate/client"
import { budget } from "@tollgate/client/budget"
import { cancelStream, resumable, resumeStream, type ResumeToken } from "@tollgate/client/resumable"
import { createClient } from "@tollgate/node/effect"
import { Host, key } from "@tollgate/testing"
import { faultyProxy, pass, type Passing, type ProxyFault, readAll } from "@tollgate/testing/client/faultyProxy"
import { begin, charged, chunk, last, words } from "@tollgate/testing/hostile/resuming"
import { gatewayTo, providerAt } from "@tollgate/testing/hostile/Served"
import { type Call, calls } from "@tollgate/testing/models"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { IncomingMessage, ServerResponse } from "node:http"
import { setImmediate, setTimeout } from "node:timers/promises"

// Each fault strikes one call of a client with a budget, between it and the gateway, at the upstream, or in the program itself. The upstream
// counts what it executes.

interface Run {
  readonly client: PromiseClient
  readonly input: { readonly model: string; readonly messages: Array<{ role: "user"; content: string }> }
  /** Once the upstream has got the call. */
  readonly arrived: Promise<void>
  /** Lets an upstream that waits go on. */
  readonly release: () => void
}

interface Execution {
  readonly res: ServerResponse
  readonly isStream: boolean
  readonly nth: number
  readonly released: Promise<void>
}

/** `refused`: nothing was executed. */
type Upstream = (execution: Execution) => "refused" | void | Promise<void>

/**
 * What is paid: once for all or for a part, nothing, or nobody knows, as the gateway has not seen it yet. Of that, and of what a closed
 * client cannot ask for, the budget holds the maximum.
 */
type Paid = "whole" | "part" | "nothing" | "unknown" | "unlearnt"

const isHeld = (paid: Paid): boolean => paid === "unknown" || paid === "unlearnt"

interface Fault {
  readonly name: string
  readonly call: (run: Run) => Promise<unknown>
  readonly upstream?: Upstream
  readonly proxy?: (nth: number) => ProxyFault | undefined
  readonly options?: Parameters<typeof createClient>[0]
  /** What the caller gets, how often the upstream executes, and what is paid. */
  readonly expected: readonly [got: string, executions: number, paid: Paid]
}

const answer = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "sandbox",
  choices: [{ index: 0, message: { role: "assistant", content: words.join("") }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
}
const json = { "content-type": "application/json" }
const page = "<html><body>Please wait</body></html>"
const html = { "content-type": "text/html" }

const answers: Upstream = ({ isStream, res }) => {
  if (!isStream) return void res.writeHead(200, json).end(JSON.stringify(answer))
  begin(...words)(res)
  res.end(last)
}
const holds: Upstream = async (execution) => {
  await execution.released
  await answers(execution)
}
/** Sends so many words, and the rest when it is released. */
const pausesAfter =
  (count: number): Upstream =>
  async ({ released, res }) => {
    begin(...words.slice(0, count))(res)
    res.flushHeaders()
    await released
    res.end(words.slice(count).map(chunk).join("") + last)
  }
const refuses =
  (status: number, headers: Readonly<Record<string, string>> = {}, times = 1): Upstream =>
  (execution) => {
    if (execution.nth >= times) return answers(execution)
    execution.res.writeHead(status, { ...json, ...headers }).end('{"error":{"message":"Busy","type":"busy"}}')
    return "refused"
  }
const says =
  (status: number, type: string, body: string): Upstream =>
  ({ res }) =>
    void res.writeHead(status, { "content-type": type }).end(body)
const reset = (res: ServerResponse): void => void res.socket?.resetAndDestroy()
/** Sends this much, lets it arrive, and resets the connection. */
const breaksAfter =
  (send: (res: ServerResponse) => void): Upstream =>
  async ({ res }) => {
    send(res)
    await setTimeout(30)
    reset(res)
  }

const whole = ({ client, input }: Run) => client.chatCompletions(input)
const stream = ({ client, input }: Run) => client.chatCompletionsStream(input).text()
const goesOn = ({ client, input }: Run) => client.chatCompletionsStream(input, { resumable: resumable() }).text()

/** Strikes the first request of the call. */
const first =
  (fault: (passing: Passing) => unknown) =>
  (nth: number): ProxyFault | undefined =>
    nth === 0 ? fault : undefined
const unseen = first(({ req }) => req.socket.resetAndDestroy())
const lost = first(async ({ req, send }) => {
  await readAll(await send())
  req.socket.resetAndDestroy()
})
/** Gets the whole answer, and does something else with it. */
const changed = (send: (body: Buffer, passing: Passing, answer: IncomingMessage) => unknown) =>
  first(async (passing) => {
    const answer = await passing.send()
    await send(await readAll(answer), passing, answer)
  })
const pageInstead = (status: number) => changed((_, { res }) => res.writeHead(status, html).end(page))
const pageBefore = (status: number) => first(({ res }) => res.writeHead(status, html).end(page))
const kept = ({ headers }: IncomingMessage) => {
  const { "content-length": _, "transfer-encoding": __, connection: ___, ...rest } = headers
  return rest
}
const halfOf = (body: Buffer) => body.subarray(0, body.length >> 1)
/** Passes so many events and bytes of the next one, and breaks the connection. */
const cutAfter = (events: number, bytes = 0) =>
  changed(async (body, { res }, answer) => {
    let end = 0
    for (let i = 0; i < events; i++) end = body.indexOf("\n\n", end) + 2
    res.writeHead(200, kept(answer)).write(body.subarray(0, end + bytes))
    await setTimeout(20)
    reset(res)
  })

type Act = (
  stream: EventStream<Readonly<Record<string, unknown>>>,
  run: Run,
  controller: AbortController
) => Promise<unknown>

/** Reads so many events, and then does this. */
const after = async (count: number, events: AsyncIterable<object>, then: () => unknown) => {
  let read = 0
  for await (const _ of events) if (++read === count) await then()
}

/** What a program does with a stream: with one that can be resumed too, whose token is given. */
const acts = (name: string, act: Act, expected: Fault["expected"], resumed = expected, upstream = pausesAfter(2)) =>
  [false, true].map((isResumable): Fault => ({
    name: `${name}${isResumable ? ", resumable" : ""}`,
    upstream,
    expected: isResumable ? resumed : expected,
    call: (run) => {
      const controller = new AbortController()
      const { signal } = controller
      const options = isResumable ? { signal, resumable: resumable() } : { signal }
      return act(run.client.chatCompletionsStream(run.input, options), run, controller)
    }
  }))

/** Reads two events of a stream, leaves it, and gives what is stored. */
const left = async ({ client, input }: Run): Promise<ResumeToken> => {
  const kept = resumable()
  let read = 0
  for await (const _ of client.chatCompletionsStream(input, { resumable: kept })) if (++read === 2) break
  return JSON.parse(JSON.stringify(kept.token())) as ResumeToken
}
const readOn = ({ client }: Run, token: ResumeToken) =>
  resumeStream(client.chatCompletionsStream, resumable(token)).text()

const paid: Fault["expected"] = ["answer", 1, "whole"]
const aborted = (executions: number, paid: Paid): Fault["expected"] => ["CallAborted", executions, paid]

const faults: ReadonlyArray<Fault> = [
  // Between the client and the gateway.
  { name: "nothing", call: whole, expected: paid },
  { name: "reset before the gateway", call: whole, proxy: unseen, expected: paid },
  { name: "reset before the answer", call: whole, proxy: lost, expected: paid },
  {
    name: "reset after the head",
    call: whole,
    proxy: changed(async (body, { res }, answer) => {
      res.writeHead(200, { ...kept(answer), "content-length": body.length }).flushHeaders()
      await setTimeout(20)
      reset(res)
    }),
    expected: paid
  },
  {
    name: "reset in the body",
    call: whole,
    proxy: changed(async (body, { res }, answer) => {
      res.writeHead(200, { ...kept(answer), "content-length": body.length }).write(halfOf(body))
      await setTimeout(20)
      reset(res)
    }),
    expected: paid
  },
  {
    name: "truncated JSON of its own length",
    call: whole,
    proxy: changed((body, { res }, answer) => res.writeHead(200, kept(answer)).end(halfOf(body))),
    expected: ["AnswerInvalid", 1, "whole"]
  },
  {
    name: "truncated JSON, and resume",
    call: (run) => whole(run).catch((error: unknown) => run.client.resume.chatCompletions(error)),
    proxy: changed((body, { res }, answer) => res.writeHead(200, kept(answer)).end(halfOf(body))),
    expected: paid
  },
  ...[200, 429, 502, 503].flatMap((status): ReadonlyArray<Fault> => [
    {
      name: `a page with ${status} instead of the answer, and resume`,
      call: (run) => whole(run).catch((error: unknown) => run.client.resume.chatCompletions(error)),
      proxy: pageInstead(status),
      expected: paid
    },
    {
      name: `a page with ${status}, not forwarded, and resume`,
      call: (run) => whole(run).catch((error: unknown) => run.client.resume.chatCompletions(error)),
      proxy: pageBefore(status),
      expected: paid
    }
  ]),
  {
    name: "a head that is later than the time of an attempt",
    call: whole,
    options: { attemptTimeout: "1 second" },
    proxy: first(async (passing) => {
      const answer = await passing.send()
      await setTimeout(2_000)
      pass(answer, passing)
    }),
    expected: paid
  },
  {
    name: "a body that comes byte by byte",
    call: whole,
    proxy: changed(async (body, { res }, answer) => {
      res.writeHead(200, kept(answer))
      for (const byte of body) {
        res.write(Buffer.of(byte))
        await setImmediate()
      }
      res.end()
    }),
    expected: paid
  },
  {
    name: "a request that is sent twice at once",
    call: whole,
    proxy: first(async (passing) => {
      const [answer, again] = await Promise.all([passing.send(), passing.send()])
      const [passed, dropped] = answer.statusCode === 200 ? [answer, again] : [again, answer]
      dropped.resume()
      pass(passed, passing)
    }),
    expected: paid
  },
  { name: "stream: reset before the gateway", call: stream, proxy: unseen, expected: ["OutcomeUnknown", 0, "unknown"] },
  { name: "stream: reset before the answer", call: stream, proxy: lost, expected: ["OutcomeUnknown", 1, "whole"] },
  { name: "stream: cut after its head", call: stream, proxy: cutAfter(0), expected: ["OutcomeUnknown", 1, "whole"] },
  { name: "stream: cut after an event", call: stream, proxy: cutAfter(1), expected: ["StreamTruncated", 1, "whole"] },
  { name: "stream: cut in an event", call: stream, proxy: cutAfter(2, 9), expected: ["StreamTruncated", 1, "whole"] },
  {
    name: "stream: a page instead",
    call: stream,
    proxy: pageInstead(200),
    expected: ["AnswerInvalid", 1, "whole"]
  },
  {
    name: "stream: silent after an event",
    call: stream,
    options: { idleTimeout: "150 millis" },
    proxy: changed((body, { res }, answer) =>
      res.writeHead(200, kept(answer)).write(body.subarray(0, body.indexOf("\n\n") + 2))
    ),
    expected: ["StreamTimedOut", 1, "whole"]
  },
  { name: "resumable: reset before the gateway", call: goesOn, proxy: unseen, expected: paid },
  { name: "resumable: reset before the answer", call: goesOn, proxy: lost, expected: paid },
  { name: "resumable: cut after its head", call: goesOn, proxy: cutAfter(0), expected: paid },
  { name: "resumable: cut after an event", call: goesOn, proxy: cutAfter(1), expected: paid },
  { name: "resumable: cut in an event", call: goesOn, proxy: cutAfter(2, 9), expected: paid },
  {
    name: "resumable: every connection is cut after an event",
    call: goesOn,
    proxy: () => cutAfter(1)(0),
    expected: paid
  },
  {
    name: "resumable: silent after an event",
    call: goesOn,
    options: { idleTimeout: "150 millis" },
    proxy: changed((body, { res }, answer) =>
      res.writeHead(200, kept(answer)).write(body.subarray(0, body.indexOf("\n\n") + 2))
    ),
    expected: paid
  },
  {
    name: "resumable: events that arrive twice",
    call: goesOn,
    proxy: changed((body, { res }, answer) => {
      const twice = body
        .toString()
        .split(/(?<=\n\n)/)
        .flatMap((event) => [event, event])
      res.writeHead(200, kept(answer)).end(twice.join(""))
    }),
    expected: paid
  },
  {
    name: "resumable: cut, and sent again from the beginning",
    call: goesOn,
    proxy: (nth) =>
      nth === 0 ? cutAfter(2)(0) : (passing) => passing.send(["last-event-id"]).then((answer) => pass(answer, passing)),
    expected: paid
  },
  {
    name: "resumable: cut, and then pages",
    call: goesOn,
    proxy: (nth) => (nth === 0 ? cutAfter(2)(0) : nth < 3 ? pageBefore(503)(0) : undefined),
    expected: paid
  },

  // At the upstream.
  { name: "upstream: 429", call: whole, upstream: refuses(429), expected: paid },
  {
    name: "upstream: 429 and Retry-After",
    call: whole,
    upstream: refuses(429, { "retry-after": "1" }),
    expected: paid
  },
  {
    name: "upstream: 429 and a long Retry-After",
    call: whole,
    upstream: refuses(429, { "retry-after": "90" }, 9),
    expected: ["RateLimited", 0, "nothing"]
  },
  { name: "upstream: 503", call: whole, upstream: refuses(503), expected: paid },
  {
    name: "upstream: 500",
    call: whole,
    upstream: says(500, "application/json", "{}"),
    expected: ["ServerFault", 1, "nothing"]
  },
  {
    name: "upstream: a page with 200",
    call: whole,
    upstream: says(200, "text/html", page),
    expected: ["UpstreamFailed", 1, "nothing"]
  },
  // By the interface, a 5xx of an upstream costs nothing, and the key may be used again.
  { name: "upstream: a page with 502 of a proxy before it", call: whole, upstream: refuses(502, html), expected: paid },
  {
    name: "upstream: truncated JSON",
    call: whole,
    upstream: says(200, "application/json", JSON.stringify(answer).slice(0, 90)),
    expected: ["UpstreamFailed", 1, "nothing"]
  },
  {
    name: "upstream: an empty answer",
    call: whole,
    upstream: says(200, "application/json", ""),
    expected: ["UpstreamFailed", 1, "nothing"]
  },
  {
    name: "upstream: reset before the answer",
    call: whole,
    upstream: ({ res }) => reset(res),
    expected: ["OutcomeUnknown", 1, "nothing"]
  },
  {
    name: "upstream: reset after the head",
    call: whole,
    upstream: breaksAfter((res) => res.writeHead(200, { ...json, "content-length": "500" }).flushHeaders()),
    expected: ["OutcomeUnknown", 1, "nothing"]
  },
  {
    name: "upstream: reset in the body",
    call: whole,
    upstream: breaksAfter((res) => res.writeHead(200, { ...json, "content-length": "500" }).write("{")),
    expected: ["OutcomeUnknown", 1, "nothing"]
  },
  {
    name: "upstream: a late head, and the time of an attempt",
    call: whole,
    options: { attemptTimeout: "1 second" },
    upstream: async (execution) => {
      await setTimeout(2_000)
      await answers(execution)
    },
    expected: paid
  },
  {
    name: "upstream: no answer in time",
    call: ({ client, input }) => client.chatCompletions(input, { timeout: "2 seconds" }),
    upstream: holds,
    expected: ["OutcomeUnknown", 1, "whole"]
  },
  { name: "upstream, stream: 429", call: stream, upstream: refuses(429), expected: paid },
  {
    name: "upstream, stream: 500",
    call: stream,
    upstream: says(500, "application/json", "{}"),
    expected: ["ServerFault", 1, "nothing"]
  },
  {
    name: "upstream, stream: a page",
    call: stream,
    upstream: says(200, "text/html", page),
    expected: ["UpstreamFailed", 1, "nothing"]
  },
  {
    name: "upstream, stream: cut after two events",
    call: stream,
    upstream: breaksAfter(begin(...words.slice(0, 2))),
    expected: ["StreamFailed", 1, "part"]
  },
  {
    name: "upstream, resumable: cut after two events",
    call: goesOn,
    upstream: breaksAfter(begin(...words.slice(0, 2))),
    expected: ["StreamFailed", 1, "part"]
  },
  {
    name: "upstream, stream: ends in an event",
    call: stream,
    upstream: ({ res }) => {
      begin(...words.slice(0, 2))(res)
      res.end('data: {"id":"c","choi')
    },
    expected: ["StreamFailed", 1, "part"]
  },
  {
    name: "upstream, stream: an error among its events",
    call: stream,
    upstream: ({ res }) => {
      begin(...words.slice(0, 2))(res)
      res.end('data: {"error":{"message":"Broken","type":"server_error"}}\n\n')
    },
    expected: ["StreamFailed", 1, "part"]
  },

  // The program itself.
  ...acts(
    "aborted before it is sent",
    (stream, _, controller) => (controller.abort(), stream.text()),
    aborted(0, "nothing")
  ),
  ...acts(
    "aborted while its price is asked",
    async (stream, _, controller) => {
      const read = stream.text()
      await setImmediate()
      controller.abort()
      return read
    },
    aborted(0, "nothing")
  ),
  ...acts(
    "aborted after it is sent",
    async (stream, { arrived }, controller) => {
      const read = stream.text()
      read.catch(() => {})
      await arrived
      controller.abort()
      return read
    },
    aborted(1, "part"),
    aborted(1, "part"),
    holds
  ),
  ...acts(
    "aborted before its first event",
    async (stream, { arrived }, controller) => {
      const read = stream.text()
      read.catch(() => {})
      await arrived
      await setTimeout(50)
      controller.abort()
      return read
    },
    aborted(1, "part"),
    aborted(1, "part"),
    pausesAfter(0)
  ),
  ...acts(
    "aborted in the middle",
    (stream, _, controller) => after(2, stream, () => controller.abort()),
    aborted(1, "part")
  ),
  ...acts(
    "aborted after its end",
    async (stream, _, controller) => {
      await stream.text()
      controller.abort()
      await stream.cancel()
    },
    paid,
    paid,
    answers
  ),
  ...acts("canceled before it is read", (stream) => stream.cancel(), ["answer", 0, "nothing"]),
  ...acts(
    "canceled three times",
    (stream) =>
      after(2, stream, async () => {
        await Promise.all([stream.cancel(), stream.cancel()])
        await stream.cancel()
      }),
    ["answer", 1, "part"]
  ),
  ...acts(
    "canceled as it ends",
    (stream, { release }) =>
      after(2, stream, () => {
        release()
        void stream.cancel()
      }),
    ["answer", 1, "part"]
  ),
  ...acts(
    "left after two events",
    (stream) =>
      (async () => {
        for await (const _ of stream) break
      })(),
    ["answer", 1, "whole"]
  ),
  // Nobody learns the charge then.
  ...acts(
    "its client is closed",
    (stream, { client }) => after(2, stream, () => void client.close()),
    aborted(1, "unlearnt")
  ),
  ...acts(
    "both halves of tee are left",
    async (stream) => {
      const [one, other] = tee(stream)
      await Promise.all(
        [one, other].map(async (half) => {
          for await (const _ of half) break
        })
      )
    },
    ["answer", 1, "whole"]
  ),
  ...acts(
    "the answer of a server is left",
    async (stream) => {
      const { body } = await toResponse(stream)
      const reader = body!.getReader()
      await reader.read()
      await reader.cancel()
    },
    ["answer", 1, "whole"]
  ),
  ...acts("a readable stream is canceled before it is read", (stream) => toReadableStream(stream).cancel(), [
    "answer",
    0,
    "nothing"
  ]),
  ...acts("summed up", (stream, { release }) => (release(), finalMessage(stream)), paid),
  {
    name: "a call, aborted after it is sent",
    upstream: holds,
    call: async ({ arrived, client, input }) => {
      const controller = new AbortController()
      const called = client.chatCompletions(input, { signal: controller.signal })
      called.catch(() => {})
      await arrived
      controller.abort()
      return called
    },
    expected: aborted(1, "whole")
  },
  {
    name: "a call, aborted after it is sent, and resumed",
    upstream: holds,
    call: async ({ arrived, client, input, release }) => {
      const controller = new AbortController()
      const called = client.chatCompletions(input, { signal: controller.signal })
      called.catch(() => {})
      await arrived
      controller.abort()
      setTimeout(50).then(release, release)
      return called.catch((error: unknown) => client.resume.chatCompletions(error))
    },
    expected: paid
  },
  {
    name: "two calls under one key",
    call: ({ client, input }) =>
      Promise.all([1, 2].map(() => client.chatCompletions(input, { idempotencyKey: "shared" }))),
    expected: paid
  },
  {
    name: "resumed after its end, twice",
    upstream: pausesAfter(2),
    call: async (run) => {
      const token = await left(run)
      run.release()
      await readOn(run, token)
      return readOn(run, token)
    },
    expected: paid
  },
  {
    name: "resumed after it was canceled",
    upstream: pausesAfter(2),
    call: async (run) => {
      const token = await left(run)
      await cancelStream(run.client.chatCompletionsStream, resumable(token))
      return readOn(run, token)
    },
    expected: ["Conflict", 1, "part"]
  },
  {
    name: "two programs resume it at once",
    upstream: pausesAfter(2),
    call: async (run) => {
      const token = await left(run)
      const both = Promise.all([readOn(run, token), readOn(run, { ...token })])
      run.release()
      const [one, other] = await both
      expect(one).toBe(other)
      expect(one).toBe(words.slice(2).join(""))
    },
    expected: paid
  },
  {
    name: "one program resumes it, and another one cancels it",
    upstream: pausesAfter(2),
    call: async (run) => {
      const token = await left(run)
      const read = readOn(run, token)
      read.catch(() => {})
      await setTimeout(50)
      await cancelStream(run.client.chatCompletionsStream, resumable({ ...token }))
      return read
    },
    // Of what it resumed it got no event.
    expected: ["OutcomeUnknown", 1, "part"]
  }
]

interface Result {
  readonly got: string
  readonly executions: number
  readonly calls: ReadonlyArray<Call>
  readonly budget: { readonly spent: number; readonly reserved: number }
  readonly millis: number
}

const tagOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : String(error)

const world = Effect.gen(function* () {
  const runs = new Map(
    faults.map((fault, i) => [
      `row${i}`,
      {
        fault,
        executions: 0,
        seen: 0,
        arrived: Promise.withResolvers<void>(),
        released: Promise.withResolvers<void>()
      }
    ])
  )
  const upstream = yield* httpUpstream((res, { body }) => {
    const run = runs.get(/row\d+/.exec(body)?.[0] ?? "")!
    const execution = { res, isStream: body.includes('"stream":true'), nth: run.seen++, released: run.released.promise }
    const ran = (run.fault.upstream ?? answers)(execution)
    if (ran !== "refused") run.executions++
    run.arrived.resolve()
  })
  const gateway = gatewayTo({ "chat.completions": providerAt(upstream.port, { protocol: "openai", breaker: false }) })
  const results = yield* Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const { addressOf } = yield* faultyProxy(baseUrl, (name, nth) => runs.get(name)!.fault.proxy?.(nth))
    const ofRow = (name: string) =>
      Effect.map(calls, (all) => all.filter(({ tags, state }) => tags?.includes(`"${name}"`) && state !== "replayed"))
    const one = ([name, run]: [string, NonNullable<ReturnType<typeof runs.get>>]) =>
      Effect.gen(function* () {
        const began = performance.now()
        const options = { credential: key, baseUrl: addressOf(name), pace: false, retry: { backoffMillis: 1 } } as const
        const client = createClient({ ...options, ...run.fault.options })
        const own = client.with({ budget: "0.50", tags: { row: name } })
        const release = () => run.released.resolve()
        const input = {
          model: "sandbox",
          messages: [{ role: "user" as const, content: `Why do rivers bend? ${name}` }]
        }
        const given = { client: own, input, release, arrived: run.arrived.promise }
        const got = yield* Effect.promise(() =>
          Promise.race([
            run.fault.call(given).then(() => "answer", tagOf),
            setTimeout(20_000, "nothing in time", { ref: false })
          ])
        )
        release()
        while ((yield* ofRow(name)).some(({ state }) => state === "open")) yield* Effect.sleep("5 millis")
        let report = yield* Effect.promise(() => budget(own))
        const [, , paid] = run.fault.expected
        for (let i = 0; i < 1_500 && !isHeld(paid) && report?.reserved.micros !== 0; i++) {
          yield* Effect.sleep("10 millis")
          report = yield* Effect.promise(() => budget(own))
        }
        yield* Effect.promise(() => client.close())
        const result: Result = {
          got,
          executions: run.executions,
          calls: yield* ofRow(name),
          budget: { spent: report!.spent.micros, reserved: report!.reserved.micros },
          millis: performance.now() - began
        }
        return [run.fault.name, result] as const
      })
    return yield* Effect.forEach(runs, one, { concurrency: 24 })
  }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(gateway))))
  return new Map(results)
}).pipe(Effect.scoped)

let results: ReadonlyMap<string, Result>

beforeAll(async () => {
  results = await Effect.runPromise(world)
  if (process.env["SHOW_FAULTS"] !== undefined)
    for (const [name, { budget, calls, executions, got, millis }] of results)
      console.log(
        `${name}: ${got}, ${executions}, ${calls.map(({ charged, cost_state, state }) => `${state}/${cost_state}/${charged}`)}, ${budget.spent}+${budget.reserved}, ${millis.toFixed()} ms`
      )
})

describe("a fault", () => {
  it.each(faults)("$name", ({ expected: [got, executions, paid], name }) => {
    const result = results.get(name)!
    const amounts = result.calls.map(({ charged }) => charged)
    const spent = amounts.reduce((sum, amount) => sum + amount, 0)
    expect([result.got, result.executions]).toEqual([got, executions])
    expect(amounts.filter((amount) => amount > 0)).toHaveLength(paid === "nothing" || paid === "unknown" ? 0 : 1)
    if (paid === "whole") expect(spent).toBe(charged)
    expect(spent).toBeLessThanOrEqual(charged)
    expect([result.budget.spent, result.budget.reserved > 0]).toEqual([paid === "unlearnt" ? 0 : spent, isHeld(paid)])
  })

  it("has a name of its own", () => expect(results.size).toBe(faults.length))
})

it("nothing is executed twice", () => {
  for (const { executions } of results.values()) expect(executions).toBeLessThanOrEqual(1)
})
