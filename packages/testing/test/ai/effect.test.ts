import { describe, expect, it } from "@effect/vitest"
import {
  chatModel,
  embeddingModel,
  geminiModel,
  messagesModel,
  responsesModel,
  type TollgateMetadata
} from "@tollgate/ai/effect"
import {
  type BudgetExceeded,
  chatCompletions,
  generateContent,
  messages,
  OutcomeUnknown,
  responses,
  resume,
  type Usd,
  withBudget,
  withIdempotencyKey,
  withMaxPrice
} from "@tollgate/client"
import { NodeClient } from "@tollgate/node/effect"
import { Host, key, TestGateway } from "@tollgate/testing"
import { dropping } from "@tollgate/testing/client/dropping"
import { calls, priced } from "@tollgate/testing/models"
import * as AiError from "effect/ai/AiError"
import * as Chat from "effect/ai/Chat"
import * as EmbeddingModel from "effect/ai/EmbeddingModel"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Model from "effect/ai/Model"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

// Effect's own modules before a real gateway. Every charge is compared with the ledger, to the micro-USD.

const gateway = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ operations: priced, limits: true, sandbox: "all" }))
)

const client = Layer.unwrap(
  Host.use(({ baseUrl }) => Effect.succeed(NodeClient.layer({ baseUrl, credential: key })))
).pipe(Layer.provideMerge(gateway))

/** Without the rows of replayed and failed calls, which cost nothing. */
const charged = Effect.map(calls, (rows) => rows.map((row) => Number(row.charged)).filter((micros) => micros > 0))

/** A stream that was left is settled a moment later. */
const chargedOnce = Effect.flatMap(Effect.context<TestGateway>(), (context) =>
  Effect.promise(() => expect.poll(() => Effect.runPromiseWith(context)(charged)).toEqual([expect.any(Number)]))
)

const prompt = "How deep is the river?"

/** What the finish of an answer says. */
const metadataOf = (parts: ReadonlyArray<Response.AnyPart>) =>
  parts.find((part) => part.type === "finish")?.metadata["tollgate"] as TollgateMetadata | undefined

const depth = Tool.make("depth", {
  description: "The depth of a river in metres",
  parameters: Schema.Struct({ river: Schema.String }),
  success: Schema.Struct({ metres: Schema.Number })
})
const toolkit = Toolkit.make(depth)
const handlers = toolkit.toLayer({ depth: () => Effect.succeed({ metres: 4321 }) })

const gemini = geminiModel("sandbox")

describe.each([
  ["chat", chatModel("sandbox"), chatCompletions],
  ["messages", messagesModel("sandbox"), messages],
  ["responses", responsesModel("sandbox"), responses],
  ["gemini", gemini, generateContent]
] as const)("over %s", (_, model, called) => {
  const test = <A, E>(
    name: string,
    use: Effect.Effect<A, E, LanguageModel.LanguageModel | Model.ModelName | Model.ProviderName | TestGateway | Host>
  ) => it.live(name, () => Effect.provide(use, Layer.provideMerge(model, client)))

  test(
    "a text, its tokens and its cost",
    Effect.gen(function* () {
      const { content, finishReason, text, usage } = yield* LanguageModel.generateText({ prompt })
      expect(text).toContain("river")
      expect(finishReason).toBe("stop")
      const { cost, replayed } = metadataOf(content) ?? {}
      expect(yield* charged).toEqual([cost?.micros])
      // 3 and 17 USD for a million tokens.
      expect(cost?.micros).toBe(3 * (usage.inputTokens.total ?? 0) + 17 * (usage.outputTokens.total ?? 0))
      expect(replayed).toBe(false)
      expect([yield* Model.ProviderName, yield* Model.ModelName]).toEqual(["tollgate", "sandbox"])
    })
  )

  test(
    "a stream says the same as the whole answer, and costs the same",
    Effect.gen(function* () {
      const whole = yield* LanguageModel.generateText({ prompt })
      const parts = yield* Stream.runCollect(LanguageModel.streamText({ prompt }))
      const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
      expect(text).toBe(whole.text)
      const { cost } = metadataOf(parts) ?? {}
      expect(cost).toEqual(metadataOf(whole.content)?.cost)
      expect(yield* charged).toEqual([cost?.micros, cost?.micros])
    })
  )

  test(
    "a tool over two steps, whole and as a stream",
    Effect.gen(function* () {
      const chat = yield* Chat.empty
      const first = yield* chat.generateText({ prompt, toolkit })
      expect(first.toolResults.map(({ result }) => result)).toEqual([{ metres: 4321 }])
      const second = yield* chat.generateText({ prompt: [], toolkit })
      expect(second.text).toContain("4321")
      const streamed = yield* Chat.empty
      const called = yield* Stream.runCollect(streamed.streamText({ prompt, toolkit }))
      expect(called.map(({ type }) => type)).toContain("tool-params-delta")
      const told = yield* Stream.runCollect(streamed.streamText({ prompt: [], toolkit }))
      expect(told.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")).toBe(second.text)
      const answers = [first.content, second.content, called, told]
      expect(yield* charged).toEqual(answers.map((parts) => metadataOf(parts)?.cost.micros))
    }).pipe(Effect.provide(handlers))
  )

  test(
    "an object of a schema",
    Effect.gen(function* () {
      const River = Schema.Struct({ name: Schema.String, metres: Schema.Number, delta: Schema.optional(Schema.String) })
      const { content, value } = yield* LanguageModel.generateObject({ prompt, schema: River, objectName: "river" })
      expect(Schema.is(River)(value)).toBe(true)
      expect(yield* charged).toEqual([metadataOf(content)?.cost.micros])
    })
  )

  test(
    "a picture goes to the model",
    Effect.gen(function* () {
      const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
      const file = { type: "file" as const, mediaType: "image/png", data: Uint8Array.from(Buffer.from(png, "base64")) }
      const { content } = yield* LanguageModel.generateText({
        prompt: [{ role: "user", content: [{ type: "text", text: prompt }, file] }]
      })
      expect(yield* charged).toEqual([metadataOf(content)?.cost.micros])
      const video = { ...file, mediaType: model === gemini ? "application/zip" : "video/mp4" }
      const error = yield* Effect.flip(LanguageModel.generateText({ prompt: [{ role: "user", content: [video] }] }))
      expect(error.reason._tag).toBe("InvalidUserInputError")
    })
  )

  test(
    "caps and budgets hold for whole answers and streams, and are not retryable",
    Effect.gen(function* () {
      const ask = LanguageModel.generateText({ prompt })
      const stream = Stream.runDrain(LanguageModel.streamText({ prompt }))
      for (const limited of [
        withMaxPrice("0.000001")(ask),
        withMaxPrice("0.000001")(stream),
        withBudget("0.00001")(ask),
        withBudget("0.00001")(stream)
      ]) {
        const error = yield* Effect.flip(limited)
        expect(error).toMatchObject({ _tag: "AiError", isRetryable: false, reason: { _tag: "QuotaExhaustedError" } })
      }
      expect(yield* charged).toEqual([])
    })
  )

  test(
    "a budget refuses the step of a loop of tools that would pass it, and the loop goes on with what it has",
    Effect.gen(function* () {
      const answers: Array<ReadonlyArray<Response.AnyPart>> = []
      const step = (chat: Chat.Chat, prompt: Prompt.RawInput) =>
        Effect.tap(chat.generateText({ prompt, toolkit }), ({ content }) => Effect.sync(() => answers.push(content)))
      const loop = Effect.fnUntraced(function* (chat: Chat.Chat, first: Prompt.RawInput) {
        let answer = yield* step(chat, first)
        while (answer.toolCalls.length > 0) answer = yield* step(chat, [])
        return answer.text
      })
      yield* loop(yield* Chat.empty, prompt)
      const [first, second] = answers.map((parts) => metadataOf(parts)?.cost.micros)
      expect(answers).toHaveLength(2)
      const chat = yield* Chat.empty
      const exceededBy = (budget: Usd) =>
        Effect.map(Effect.flip(withBudget(budget)(loop(chat, prompt))), (error) => {
          expect(error).toMatchObject({ _tag: "AiError", isRetryable: false, reason: { _tag: "QuotaExhaustedError" } })
          return ((error as AiError.AiError).reason.cause as BudgetExceeded).most
        })
      // It pays for the longest answer of the first step, so not for that of the second as well.
      const most = yield* exceededBy("0.000001")
      expect(yield* charged).toEqual([first, second])
      yield* exceededBy(most)
      expect(yield* charged).toEqual([first, second, first])
      expect(yield* withBudget("1")(loop(chat, []))).toContain("4321")
      expect(yield* charged).toEqual([first, second, first, second])
    }).pipe(Effect.provide(handlers))
  )

  test(
    "a budget holds for objects and for the tools of a streamed loop",
    Effect.gen(function* () {
      const object = LanguageModel.generateObject({ prompt, schema: Schema.Struct({ name: Schema.String }) })
      const streamed = Stream.runDrain(LanguageModel.streamText({ prompt, toolkit }))
      for (const call of [object, streamed]) {
        const error = yield* Effect.flip(withBudget("0.00001")(Effect.asVoid(call)))
        expect(error).toMatchObject({ _tag: "AiError", reason: { _tag: "QuotaExhaustedError" } })
        expect(yield* charged).toEqual([])
      }
      yield* withBudget("1")(Effect.andThen(object, streamed))
      expect(yield* charged).toHaveLength(2)
    }).pipe(Effect.provide(handlers))
  )

  test(
    "an answer under a key is not paid again",
    Effect.gen(function* () {
      const ask = withIdempotencyKey("river-3")(LanguageModel.generateText({ prompt }))
      const first = yield* ask
      const second = yield* ask
      expect(second.text).toBe(first.text)
      expect(metadataOf(second.content)?.replayed).toBe(true)
      expect(yield* charged).toEqual([metadataOf(first.content)?.cost.micros])
    })
  )

  it.live("a lost answer is not retryable, and is had by resume for one charge", () =>
    Effect.gen(function* () {
      const proxy = yield* dropping((yield* Host).baseUrl, 1)
      const losing = NodeClient.layer({ baseUrl: proxy.baseUrl, credential: key, retries: 0 })
      yield* Effect.gen(function* () {
        const ask = LanguageModel.generateText({ prompt })
        const error = yield* Effect.flip(Effect.retry(ask, { times: 3, while: (error) => error.isRetryable }))
        expect(error).toMatchObject({
          isRetryable: false,
          reason: { _tag: "UnknownError", metadata: { tollgate: { tag: "OutcomeUnknown", outcome: "unknown" } } }
        })
        expect(proxy.dropped()).toBe(1)
        const { cause } = error.reason
        if (!(cause instanceof OutcomeUnknown)) throw cause
        yield* resume(called as typeof chatCompletions, cause)
        expect(yield* charged).toHaveLength(1)
      }).pipe(Effect.provide(Layer.provideMerge(model, losing)))
    }).pipe(Effect.scoped, Effect.provide(gateway))
  )

  it.live("a lost answer is asked for by the client, for one charge", () =>
    Effect.gen(function* () {
      const proxy = yield* dropping((yield* Host).baseUrl, 2)
      const patient = NodeClient.layer({ baseUrl: proxy.baseUrl, credential: key, retry: { backoffMillis: 1 } })
      const { content } = yield* LanguageModel.generateText({ prompt }).pipe(
        Effect.provide(Layer.provideMerge(model, patient))
      )
      expect(proxy.dropped()).toBe(2)
      expect(yield* charged).toEqual([metadataOf(content)?.cost.micros])
    }).pipe(Effect.scoped, Effect.provide(gateway))
  )

  it.live("what has not run is retryable, and the broken stream is not", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const under = (scenario: string) =>
        Layer.provideMerge(model, NodeClient.layer({ baseUrl, credential: key, retries: 0, scenario }))
      const busy = yield* Effect.flip(LanguageModel.generateText({ prompt })).pipe(
        Effect.provide(under("status; code=429; after=7"))
      )
      expect(AiError.isAiError(busy)).toBe(true)
      expect(busy).toMatchObject({ isRetryable: true, reason: { _tag: "RateLimitError" } })
      expect(yield* charged).toEqual([])
      const broken = yield* Effect.flip(Stream.runDrain(LanguageModel.streamText({ prompt }))).pipe(
        Effect.provide(under("reset; after=5"))
      )
      expect(broken).toMatchObject({
        isRetryable: false,
        reason: { metadata: { tollgate: { outcome: "executed" } } }
      })
      yield* chargedOnce
    }).pipe(Effect.provide(gateway))
  )

  it.live("an interrupted stream is charged once for what was delivered", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const slow = NodeClient.layer({ baseUrl, credential: key, scenario: "interval; ms=20" })
      const taken = yield* LanguageModel.streamText({ prompt }).pipe(
        Stream.filter(({ type }) => type === "text-delta"),
        Stream.take(2),
        Stream.runCollect,
        Effect.provide(Layer.provideMerge(model, slow))
      )
      expect(taken).toHaveLength(2)
      yield* chargedOnce
    }).pipe(Effect.provide(gateway))
  )
})

it.live("vectors, and budgets for them, also if they are asked for one by one", () =>
  Effect.gen(function* () {
    const model = yield* EmbeddingModel.EmbeddingModel
    const { embeddings } = yield* model.embedMany(["a river", "a bridge"])
    expect(embeddings.map(({ vector }) => vector.length)).toEqual([64, 64])
    const one = yield* model.embed("a river")
    expect(one.vector).toEqual(embeddings[0]?.vector)
    expect(yield* charged).toHaveLength(2)
    for (const ask of [Effect.asVoid(model.embed("a river")), Effect.asVoid(model.embedMany(["a river"]))]) {
      const error = yield* Effect.flip(withBudget("0.000001")(ask))
      expect(error).toMatchObject({ reason: { _tag: "QuotaExhaustedError" } })
    }
    // Two at the same time, of which one may spend nothing.
    const [rich, poor] = yield* Effect.all(
      [model.embed("a river"), Effect.flip(withBudget("0.000001")(model.embed("a bridge")))],
      { concurrency: "unbounded" }
    )
    expect(rich.vector).toHaveLength(64)
    expect(poor).toMatchObject({ reason: { _tag: "QuotaExhaustedError" } })
    expect(yield* charged).toHaveLength(3)
    const asked = Effect.forEach(["a", "b", "c"], (text) => model.embed(text), { concurrency: "unbounded" })
    expect(yield* withBudget("0.01")(asked)).toHaveLength(3)
    expect(yield* charged).toHaveLength(4)
  }).pipe(Effect.provide(Layer.provideMerge(embeddingModel("sandbox", { dimensions: 64 }), client)))
)
