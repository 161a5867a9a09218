import { describe, expect, it } from "@effect/vitest"
import {
  call,
  chatCompletions,
  type Client,
  generateContentStream,
  imageGenerate,
  messagesStream,
  Policy,
  quote,
  rerank,
  responses,
  responsesStream,
  textOf,
  tweetQuotes,
  usage,
  videoCreate,
  withBudget,
  withIdempotencyKey,
  withMaxPrice,
  withResponse
} from "@tollgate/client"
import { budget } from "@tollgate/client/budget"
import {
  type Call,
  events,
  fail,
  hang,
  later,
  noJitter,
  notSent,
  raw,
  reply,
  reset,
  says,
  scriptedGateway,
  sequence
} from "@tollgate/client/testing"
import { type Code, codes } from "@tollgate/contract/errors/codes"
import { operations } from "@tollgate/contract/operations"
import { messages } from "@tollgate/contract/operations/messages"
import { streamGenerateContent } from "@tollgate/contract/operations/streamGenerateContent"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { credential, question, ranking } from "./scripted.ts"
import { task } from "./videoScripted.ts"

const once = Policy.none
const film = { model: "any", input: { prompt: "a river" } }

const defectOf = <A, E>(exit: Exit.Exit<A, E>): string =>
  Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "no failure"

describe("scripted errors", () => {
  it.effect("have the status and outcome of their code, in the format of every family", () =>
    Effect.gen(function* () {
      const all = Object.keys(codes) as ReadonlyArray<Code>
      const families = new Map(
        operations
          .filter(({ path, request }) => path !== undefined && request.path === undefined)
          .toReversed()
          .map((o) => [o.family, o])
      )
      expect(families.size).toBeGreaterThan(4)
      for (const operation of families.values()) {
        for (const code of all) {
          const gateway = scriptedGateway().on(operation, fail(code, { message: "No.", retryAfter: "3 seconds" }))
          const input = { start_time: 1, tweetId: "1", ...question, ...film } as never
          const error = yield* Effect.flip(call(operation)(input)).pipe(Effect.provide(gateway.layer({ retry: once })))
          const { outcome, status } = codes[code]
          const plain = operation.family === "usage" && status !== 429
          expect(error, `${operation.id} ${code}`).toMatchObject({ message: expect.stringMatching(/^No\./), status })
          if (error._tag !== "OutcomeUnknown" && !plain)
            expect(error).toMatchObject({ code, outcome, retryAfter: 3_000 })
        }
      }
    })
  )

  it.effect("of one gateway do not affect the clients of another", () =>
    Effect.gen(function* () {
      const impatient = { retries: 0, patienceMillis: 1 }
      const strict = scriptedGateway().on(rerank, fail("rate_limit_exceeded", { retryAfter: "30 seconds" }))
      const other = scriptedGateway().on(rerank, reply(ranking))
      yield* Effect.flip(rerank(question)).pipe(Effect.provide(strict.layer({ retry: impatient })))
      expect(yield* rerank(question).pipe(Effect.provide(other.layer({ retry: impatient })))).toEqual(ranking)
    })
  )

  it.effect("may have their own status and headers", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(
        rerank,
        fail("upstream_unreachable", { status: 503, headers: { "X-Region": "north" } })
      )
      const error = yield* Effect.flip(rerank(question)).pipe(Effect.provide(gateway.layer({ retry: once })))
      expect(error).toMatchObject({ _tag: "Unavailable", outcome: "not executed", headers: { "x-region": "north" } })
    })
  )
})

describe("a scripted connection", () => {
  for (const [name, step, shown] of [
    ["breaks", reset(), { _tag: "OutcomeUnknown", outcome: "unknown" }],
    ["is not made", notSent(), { _tag: "TransportFailed", outcome: "not executed" }]
  ] as const) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const gateway = scriptedGateway().on(rerank, step)
        const error = yield* Effect.flip(rerank(question)).pipe(Effect.provide(gateway.layer({ retry: once })))
        expect(error).toMatchObject(shown)
      })
    )
  }

  it.effect("hangs until the deadline, and the outcome is then unknown", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(rerank, sequence(hang()))
      const fiber = yield* Effect.forkChild(
        Effect.flip(rerank(question)).pipe(Effect.provide([gateway.layer({ timeout: 5_000 }), noJitter]))
      )
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({
        _tag: "OutcomeUnknown",
        idempotencyKey: gateway.requests[0]?.idempotencyKey
      })
      expect(gateway.requests.map(({ at }) => at)).toEqual([0])
    })
  )

  it.effect("breaks before the request arrives: the retry runs and is charged once", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(rerank, sequence(reset(), reset(), reply(ranking, { cost: "0.00003" })))
      const fiber = yield* Effect.forkChild(rerank(question).pipe(Effect.provide(gateway.layer())))
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(fiber)).toEqual(ranking)
      expect(gateway.charged).toBe("0.000030")
      gateway.check()
    })
  )

  it.effect("answers with an HTML page or an unknown status", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(
        rerank,
        sequence(raw(200, "<p>Not here", { headers: { "content-type": "text/html" } }), raw(418, "short and stout"))
      )
      const layer = gateway.layer({ retry: once })
      expect(yield* Effect.flip(rerank(question)).pipe(Effect.provide(layer))).toMatchObject({ _tag: "AnswerInvalid" })
      expect(yield* Effect.flip(rerank(question)).pipe(Effect.provide(layer))).toMatchObject({
        _tag: "UnexpectedStatus",
        status: 418,
        body: "short and stout"
      })
    })
  )
})

describe("an idempotency key", () => {
  const rerankWithKey = (text: string) => rerank({ ...question, query: text }).pipe(withIdempotencyKey("order 7"))

  it.effect("replays the stored answer, and is charged once", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(rerank, reply(ranking, { cost: "0.01" }))
      const all = Effect.gen(function* () {
        yield* rerankWithKey("a")
        expect(yield* withResponse(rerankWithKey("a"))).toMatchObject({
          value: ranking,
          replayed: true,
          cost: { state: "settled", micros: 10_000, usd: "0.01" },
          headers: { "x-tollgate-cost-state": "none" }
        })
        expect(gateway.charged).toBe("0.010000")
        expect(yield* Effect.flip(rerankWithKey("b"))).toMatchObject({
          _tag: "Unprocessable",
          code: "idempotency_mismatch"
        })
        expect(gateway.charges).toHaveLength(1)
      })
      yield* all.pipe(Effect.provide(gateway.layer({ retry: once })))
    })
  )

  it.effect(
    "whose answer is replayed takes nothing from a budget: the first call took it, or the maximum while it is pending",
    () =>
      Effect.gen(function* () {
        const gateway = scriptedGateway().price(tweetQuotes, "0.004").price(videoCreate, "0.004")
        gateway.on(tweetQuotes, reply({ tweets: [], has_next_page: false }, { cost: "0.001" }))
        gateway.on(videoCreate, task("PENDING"))
        const thrice = <E>(call: Effect.Effect<unknown, E, Client>) =>
          Effect.andThen(Effect.all([call, call, call]), budget()).pipe(
            withIdempotencyKey("order 7"),
            withBudget("0.02"),
            Effect.provide(gateway.layer({ retry: once }))
          )
        expect(yield* thrice(tweetQuotes({ tweetId: "1" }))).toMatchObject({
          spent: { micros: 1_000 },
          reserved: { micros: 0 }
        })
        const started = videoCreate({ model: "m", input: { prompt: "a river" } })
        expect(yield* thrice(started)).toMatchObject({ spent: { micros: 0 }, reserved: { micros: 4_000 } })
        expect(gateway.charged).toBe("0.001000")
      })
  )

  it.effect("of a call in flight is retried until that call ends", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(rerank, sequence(later("1500 millis", reply(ranking, { cost: "0.01" }))))
      const both = Effect.all([rerankWithKey("a"), rerankWithKey("a")], { concurrency: 2 })
      const fiber = yield* Effect.forkChild(both.pipe(Effect.provide([gateway.layer(), noJitter])))
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(fiber)).toEqual([ranking, ranking])
      expect(gateway.requests.map(({ at }) => at)).toEqual([0, 0, 1_000, 3_000])
      expect(gateway.charged).toBe("0.010000")
    })
  )

  it.effect("of a refused call can be used again, one with an unknown outcome cannot", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(rerank, sequence(fail("over_budget"), raw(500, ""), fail("upstream_failed")))
      const tags = yield* Effect.forEach([1, 2, 3, 4], () => Effect.flip(rerankWithKey("a"))).pipe(
        Effect.map((errors) => errors.map((error) => ("code" in error ? error.code : error._tag))),
        Effect.provide(gateway.layer({ retry: once }))
      )
      expect(tags).toEqual(["over_budget", "ServerFault", "upstream_failed", "idempotency_unknown"])
    })
  )

  it.effect("of a stream does not replay it", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(messages, says(["a"], { cost: "0.01" }))
      const read = Stream.runDrain(messagesStream({ model: "any", messages: [] })).pipe(withIdempotencyKey("order 7"))
      const layer = gateway.layer({ retry: once })
      yield* read.pipe(Effect.provide(layer))
      expect(yield* Effect.flip(read).pipe(Effect.provide(layer))).toMatchObject({ code: "idempotency_completed" })
      expect(gateway.charged).toBe("0.010000")
    })
  )
})

describe("a price", () => {
  it.effect("is the given one, for quotes, caps and charges", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway()
        .price(rerank, "0.000001")
        .on(rerank, reply(ranking))
        .on(tweetQuotes, reply({ tweets: [], has_next_page: false }))
      yield* Effect.gen(function* () {
        expect(yield* quote(rerank, question)).toMatchObject({ price_contract: "per_token", operation_id: "rerank" })
        yield* rerank(question)
        expect(gateway.charged).toBe("0.000001")
        gateway.price(rerank, "2")
        gateway.price(tweetQuotes, "0.25")
        expect(yield* quote(rerank, question)).toMatchObject({ max_micros_usd: 2_000_000 })
        expect(yield* Effect.flip(rerank(question).pipe(withMaxPrice("1.99")))).toMatchObject({ code: "over_cap" })
        yield* rerank(question).pipe(withMaxPrice("2"))
        yield* tweetQuotes({ tweetId: "1" })
        expect(gateway.charged).toBe("2.250001")
        expect(yield* Effect.flip(quote(usage, { start_time: 1 }))).toMatchObject({
          _tag: "InvalidRequest",
          message: "usage is free: call it without X-Tollgate-Cost-Mode."
        })
      }).pipe(Effect.provide(gateway.layer({ retry: once })))
    })
  )

  it.effect("must be set before it can be quoted", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(videoCreate, task("PENDING"))
      const exit = yield* Effect.exit(videoCreate(film).pipe(withBudget("1"), Effect.provide(gateway.layer())))
      expect(defectOf(exit)).toContain("No price is set for video.create")
      expect(() => gateway.check()).toThrow("No price is set for video.create")
      expect(() => gateway.price(videoCreate, "much")).toThrow(`"much" is not an amount`)
    })
  )
})

describe("scripted streams", () => {
  it.effect("send their text in each protocol, and report the cost", () =>
    Effect.gen(function* () {
      const step = says(["The ", "Nile"], { cost: "0.000012", every: "1 second" })
      const gateway = scriptedGateway().on(messages, step).on(streamGenerateContent, step).on(responses, step)
      const charges: Array<unknown> = []
      const onCharge = (charge: unknown) => Effect.sync(() => void charges.push(charge))
      const all = [
        messagesStream({ model: "any", messages: [] }, { onCharge }),
        generateContentStream({ path: { model: "any" }, body: { contents: [] } }, { onCharge }),
        responsesStream({ model: "any", input: "Which?" }, { onCharge })
      ]
      const fiber = yield* Effect.forEach(all, (one) =>
        Stream.runFold(
          one,
          () => "",
          (text, event) => text + textOf(event)
        )
      ).pipe(Effect.provide(gateway.layer()), Effect.forkChild)
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(fiber)).toEqual(["The Nile", "The Nile", "The Nile"])
      expect(charges).toEqual([
        { state: "settled", micros: 12, usd: "0.000012" },
        { state: "settled", micros: 12, usd: "0.000012" },
        { state: "settled", micros: 12, usd: "0.000012" }
      ])
      expect(gateway.calls(streamGenerateContent)[0]?.input).toEqual({ path: { model: "any" }, body: { contents: [] } })
      expect(gateway.requests.map(({ at }) => at)).toEqual([0, 6_000, 8_000])
    })
  )

  it.effect("arrive one event at a time", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(
        messages,
        events([{ type: "ping" }, { type: "ping" }], { every: "1 second" })
      )
      const first = Stream.runCollect(Stream.take(messagesStream({ model: "any", messages: [] }), 1))
      expect(yield* first.pipe(Effect.provide(gateway.layer()))).toEqual([{ type: "ping" }])
    })
  )

  it.effect("may have custom events, and are charged when the reader stops early", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(
        messages,
        events([{ type: "ping" }, { type: "message_stop" }], { cost: "0.2" })
      )
      const read = messagesStream({ model: "any", messages: [] })
      const layer = gateway.layer()
      expect(yield* Stream.runCollect(read).pipe(Effect.provide(layer))).toEqual([
        { type: "ping" },
        { type: "message_stop" }
      ])
      expect(yield* Stream.runCollect(Stream.take(read, 1)).pipe(Effect.provide(layer))).toHaveLength(1)
      expect(gateway.charged).toBe("0.400000")
    })
  )
})

describe("a request", () => {
  it.effect("is recorded with its input, without the credential", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway({ bindings: { "images.generate": { path: "/v1/images" } } })
      gateway.on(usage, fail("missing_scope")).on(imageGenerate, reply({ data: [] }))
      yield* TestClock.adjust("3 seconds")
      yield* Effect.all([Effect.exit(usage({ start_time: 7 })), imageGenerate({ prompt: "a b" })]).pipe(
        Effect.provide(gateway.layer({ credential }))
      )
      const [first]: ReadonlyArray<Call<{ readonly start_time: number }>> = gateway.calls(usage)
      expect(first).toMatchObject({ operation: "usage", input: { start_time: 7 }, at: 3_000, mode: "call" })
      expect(gateway.calls(imageGenerate)[0]?.input).toEqual({ prompt: "a b" })
      expect(JSON.stringify(gateway.requests)).not.toContain(credential)
    })
  )

  it.effect("that is not scripted fails the test, with a list of what is", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway()
        .on(rerank, sequence(reply(ranking), reply(ranking)))
        .on(usage, hang())
      yield* Effect.gen(function* () {
        expect(defectOf(yield* Effect.exit(tweetQuotes({ tweetId: "1" })))).toBe(
          "Error: No answer is scripted for this call of social_a.tweet_quotes (GET /apis/v1/social_a/tweet/quotes). " +
            "Scripted: rerank (0 of 2 steps used), usage."
        )
        expect(() => gateway.check()).toThrow("rerank: 2 of 2 scripted steps were not used")
        yield* Effect.all([rerank(question), rerank(question)])
        expect(defectOf(yield* Effect.exit(rerank(question)))).toContain("rerank (2 of 2 steps used)")
        expect(() => gateway.check()).toThrow("tweet_quotes")
      }).pipe(Effect.provide(gateway.layer()))
      expect(() => scriptedGateway().on(imageGenerate, hang())).toThrow("The path of images.generate is pending")
    })
  )

  it.effect("must have a reply that matches the operation", () =>
    Effect.gen(function* () {
      const gateway = scriptedGateway().on(rerank, reply({ ...ranking, usage: { total_tokens: 0.5 } }))
      const exit = yield* Effect.exit(rerank(question)).pipe(Effect.provide(gateway.layer()))
      expect(defectOf(exit)).toContain("The scripted reply does not match rerank")
      const asked = { model: "m", messages: [] } as const
      const empty = scriptedGateway().on(chatCompletions, reply({ foo: 1 } as never))
      const defect = defectOf(yield* Effect.exit(chatCompletions(asked)).pipe(Effect.provide(empty.layer())))
      expect(defect).toContain("The scripted reply does not match chat.completions: it has no `choices`")
    })
  )

  it("cannot fail with a code that the gateway does not have", () => {
    expect(() => fail("over_capp" as never)).toThrow("The gateway has no code over_capp")
    expect(() => says(["a"], { end: "over_capp" as never })).toThrow("The gateway has no code over_capp")
    expect(() => says(["a"], { end: "over_cap" })).not.toThrow()
  })

  it.effect("can be answered from its input", () =>
    Effect.gen(function* () {
      const completion = { id: "c", object: "chat.completion", created: 0, choices: [] }
      const gateway = scriptedGateway().on(chatCompletions, ({ input }) => reply({ ...completion, model: input.model }))
      const answer = yield* chatCompletions({ model: "any", messages: [] }).pipe(Effect.provide(gateway.layer()))
      expect(answer).toEqual({ ...completion, model: "any" })
    })
  )
})
