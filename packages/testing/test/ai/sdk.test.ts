import { APICallError } from "@ai-sdk/provider"
import { describe, expect, it } from "@effect/vitest"
import {
  costOf,
  createTollgate,
  type TollgateCallOptions,
  type TollgateFailure,
  type TollgateMetadata,
  type TollgateProvider
} from "@tollgate/ai"
import { type BudgetExceeded, createClient, Money } from "@tollgate/node"
import { Host, key, TestGateway } from "@tollgate/testing"
import { dropping } from "@tollgate/testing/client/dropping"
import { bindings, calls, priced, reservedTotal } from "@tollgate/testing/models"
import {
  createProviderRegistry,
  embed,
  embedMany,
  generateImage,
  generateObject,
  generateText,
  InvalidArgumentError,
  isStepCount,
  Output,
  rerank,
  streamText,
  type TextStreamPart,
  tool,
  type ToolSet
} from "ai"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { z } from "zod"

// The provider of `ai` before a real gateway. Every charge is compared with the ledger, to the micro-USD.

const gateway = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ operations: priced, bindings, limits: true, sandbox: "all" }))
)

interface Given {
  readonly tollgate: TollgateProvider
  readonly baseUrl: string
  /** The charges in the ledger, in micro-USD. */
  readonly charges: () => Promise<ReadonlyArray<number>>
  /** What is reserved in the ledger. */
  readonly reserved: () => Promise<unknown>
}

/** Without the rows of replayed and failed calls, which cost nothing. */
const charged = Effect.map(calls, (rows) => rows.map((row) => Number(row.charged)).filter((micros) => micros > 0))

const providerAt = (baseUrl: string, options: object = {}): TollgateProvider =>
  createTollgate({ client: createClient({ baseUrl, credential: key, ...options }) })

const test = (name: string, use: (given: Given) => Promise<unknown>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const run = Effect.runPromiseWith(yield* Effect.context<TestGateway>())
      const charges = () => run(charged)
      const tollgate = providerAt(baseUrl)
      yield* Effect.promise(() => use({ tollgate, baseUrl, charges, reserved: () => run(reservedTotal) }))
      yield* Effect.promise(() => tollgate.client.close())
    }).pipe(Effect.provide(gateway))
  )

/** With a proxy that loses the first answers. */
const losing = (
  name: string,
  lost: number,
  use: (given: Omit<Given, "reserved"> & { readonly dropped: () => number }) => Promise<unknown>
) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const proxy = yield* dropping(baseUrl, lost)
      const run = Effect.runPromiseWith(yield* Effect.context<TestGateway>())
      const charges = () => run(charged)
      const tollgate = providerAt(proxy.baseUrl, { retries: 0 })
      yield* Effect.promise(() => use({ tollgate, baseUrl: proxy.baseUrl, charges, dropped: proxy.dropped }))
      yield* Effect.promise(() => tollgate.client.close())
    }).pipe(Effect.scoped, Effect.provide(gateway))
  )

const metadataOf = (given: { readonly providerMetadata?: Record<string, object> | undefined }) =>
  given.providerMetadata?.["tollgate"] as TollgateMetadata | undefined

const failureOf = (run: () => PromiseLike<unknown>) =>
  Promise.resolve(run()).then(
    () => undefined,
    (error: unknown) => error
  )

const prompt = "How deep is the river?"

const depth = tool({
  description: "The depth of a river in metres",
  inputSchema: z.object({ river: z.string() }),
  execute: async () => ({ metres: 4321 })
})

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

describe.each(["chat", "messages", "responses", "gemini"] as const)("over %s", (api) => {
  test("a text, its tokens and its cost", async ({ charges, tollgate }) => {
    const result = await generateText({ model: tollgate[api]("sandbox"), prompt })
    expect(result.text).toContain("river")
    expect(result.finishReason).toBe("stop")
    expect(result.warnings).toEqual([])
    const { cost, idempotencyKey, replayed, requestId } = metadataOf(result) ?? {}
    expect(await charges()).toEqual([cost?.micros])
    expect(cost?.state).toBe("settled")
    // 3 and 17 USD for a million tokens.
    expect(cost?.micros).toBe(3 * (result.usage.inputTokens ?? 0) + 17 * (result.usage.outputTokens ?? 0))
    expect([replayed, requestId === undefined, idempotencyKey?.length]).toEqual([false, false, 32])
  })

  test("a stream says the same as the whole answer, and costs the same", async ({ charges, tollgate }) => {
    const model = tollgate[api]("sandbox")
    const whole = await generateText({ model, prompt })
    const stream = streamText({ model, prompt })
    const types: Array<string> = []
    for await (const part of stream.fullStream) types.push(part.type)
    expect(types.slice(0, 3)).toEqual(["start", "start-step", "text-start"])
    expect(types.slice(-3)).toEqual(["text-end", "finish-step", "finish"])
    expect(await stream.text).toBe(whole.text)
    expect(await stream.usage).toMatchObject({
      inputTokens: whole.usage.inputTokens,
      outputTokens: whole.usage.outputTokens
    })
    const cost = metadataOf({ providerMetadata: await stream.providerMetadata } as never)?.cost
    expect(cost).toEqual(metadataOf(whole)?.cost)
    const { headers } = await stream.response
    expect(Object.keys(headers ?? {}).toSorted()).toEqual(
      expect.arrayContaining(["content-type", "ratelimit", "x-request-id"])
    )
    expect(await charges()).toEqual([cost?.micros, cost?.micros])
  })

  test("tools over two steps; with the same key the whole loop is not paid again", async ({ charges, tollgate }) => {
    const ask = () =>
      generateText({
        model: tollgate[api]("sandbox"),
        prompt,
        tools: { depth },
        stopWhen: isStepCount(3),
        providerOptions: { tollgate: { idempotencyKey: "river-1" } }
      })
    const first = await ask()
    expect(first.steps).toHaveLength(2)
    expect(first.steps[0]?.toolResults.map(({ output }) => output)).toEqual([{ metres: 4321 }])
    expect(first.text).toContain("4321")
    const paid = await charges()
    expect(paid).toHaveLength(2)
    expect(costOf(first.steps)).toMatchObject({ state: "settled", micros: paid.reduce((sum, one) => sum + one, 0) })
    const again = await ask()
    expect(again.text).toBe(first.text)
    expect(again.steps.map((step) => metadataOf(step)?.replayed)).toEqual([true, true])
    expect(costOf(again.steps)).toEqual({ state: "none", micros: 0, usd: "0" })
    expect(await charges()).toEqual(paid)
  })

  test("tools over two steps of a stream", async ({ charges, tollgate }) => {
    const stream = streamText({ model: tollgate[api]("sandbox"), prompt, tools: { depth }, stopWhen: isStepCount(3) })
    const types = new Set<string>()
    for await (const { type } of stream.fullStream) types.add(type)
    for (const type of ["tool-input-start", "tool-input-delta", "tool-input-end", "tool-call", "tool-result"])
      expect(types).toContain(type)
    expect(await stream.text).toContain("4321")
    const paid = await charges()
    expect(paid).toHaveLength(2)
    expect(costOf(await stream.steps).micros).toBe(paid.reduce((sum, one) => sum + one, 0))
  })

  test("an object of a schema", async ({ charges, tollgate }) => {
    const River = z.object({ name: z.string(), metres: z.number() })
    const result = await generateText({
      model: tollgate[api]("sandbox"),
      prompt,
      output: Output.object({ schema: River })
    })
    expect(River.parse(result.output)).toEqual(result.output)
    expect(await charges()).toEqual([metadataOf(result)?.cost.micros])
  })

  test("a picture and thoughts, also in the next turn", async ({ charges, tollgate }) => {
    const model = tollgate[api]("sandbox")
    const question = {
      role: "user" as const,
      content: [
        { type: "text" as const, text: prompt },
        { type: "file" as const, mediaType: "image", data: pixel }
      ]
    }
    const first = await generateText({ model, messages: [question], reasoning: "low" })
    expect(first.usage.outputTokenDetails.reasoningTokens).toBeGreaterThan(0)
    if (api === "messages") expect(first.reasoningText?.length).toBeGreaterThan(0)
    const second = await generateText({
      model,
      messages: [question, ...first.responseMessages, { role: "user", content: "And bridges?" }]
    })
    expect(second.text).toContain("bridges")
    expect(await charges()).toEqual([metadataOf(first)?.cost.micros, metadataOf(second)?.cost.micros])
  })

  describe("a budget", () => {
    const loop = ({ client }: TollgateProvider, budget: number, options: TollgateCallOptions = {}) => ({
      model: createTollgate({ client: client.withBudget(Money.usd(budget)) })[api]("sandbox", options),
      prompt,
      maxOutputTokens: 500,
      tools: { depth },
      stopWhen: isStepCount(3)
    })
    const exceeded = { isRetryable: false, data: { tag: "BudgetExceeded", outcome: "not executed" } }

    /** What the two steps cost, and what a budget needs to pay for both. */
    const priceOf = (steps: Parameters<typeof costOf>[0]) => {
      const [first, second] = [...steps].map((step) => metadataOf(step as never))
      const costs = [first?.cost.micros ?? 0, second?.cost.micros ?? 0]
      return { costs, needed: (costs[0] ?? 0) + (second?.quote?.max.micros ?? 0) }
    }
    const rich = 1_000_000

    test("refuses the step of a loop that would pass it; under its key the loop goes on and pays once", async (given) => {
      const { charges, tollgate } = given
      const { costs, needed } = priceOf((await generateText(loop(tollgate, rich, { quote: true }))).steps)
      const error = await failureOf(() => generateText(loop(tollgate, needed - 1, { idempotencyKey: `${api}-loop` })))
      expect(error).toMatchObject(exceeded)
      expect(await charges()).toEqual([...costs, costs[0]])
      const { steps, text } = await generateText(loop(tollgate, needed, { idempotencyKey: `${api}-loop` }))
      expect(text).toContain("4321")
      expect(steps.map((step) => metadataOf(step)?.replayed)).toEqual([true, false])
      expect(costOf(steps)).toMatchObject({ state: "settled", micros: costs[1] })
      expect(await charges()).toEqual([...costs, ...costs])
    })

    test("refuses the step of a streamed loop that would pass it", async ({ charges, tollgate }) => {
      const { costs, needed } = priceOf(await streamText(loop(tollgate, rich, { quote: true })).steps)
      const errors: Array<unknown> = []
      const onError = ({ error }: { readonly error: unknown }) => void errors.push(error)
      await streamText({ ...loop(tollgate, needed - 1), onError }).consumeStream()
      expect(errors).toMatchObject([exceeded])
      expect(await charges()).toEqual([...costs, costs[0]])
      const { most } = (errors[0] as { readonly cause: BudgetExceeded }).cause
      await streamText({ ...loop(tollgate, (costs[0] ?? 0) + most.micros), onError }).consumeStream()
      expect(errors).toHaveLength(1)
      expect(await charges()).toEqual([...costs, costs[0], ...costs])
    })

    test("ends a loop that would never end, whole and streamed", async ({ charges, reserved, tollgate }) => {
      const sum = async () => (await charges()).reduce((all, one) => all + one, 0)
      const endless = () => ({
        ...loop(tollgate, 10_000),
        maxOutputTokens: 400,
        // The sandbox calls a tool once. Without the results it calls it again.
        prepareStep: ({ stepNumber }: { readonly stepNumber: number }) => ({
          messages: [{ role: "user" as const, content: `${prompt} ${stepNumber}` }]
        }),
        stopWhen: () => false
      })
      const error = await failureOf(() => generateText(endless()))
      expect(error).toMatchObject({ ...exceeded, message: expect.stringMatching(/budget/i) })
      const spent = await sum()
      expect((await charges()).length).toBeGreaterThan(2)
      expect(spent).toBeLessThanOrEqual(10_000)
      expect(await reserved()).toBe(0)
      const errors: Array<unknown> = []
      await streamText({ ...endless(), onError: ({ error }) => void errors.push(error) }).consumeStream()
      expect(errors).toMatchObject([exceeded])
      expect((await sum()) - spent).toBeLessThanOrEqual(10_000)
      expect(await reserved()).toBe(0)
    })

    test("holds for objects", async ({ charges, tollgate }) => {
      const schema = z.object({ name: z.string(), metres: z.number() })
      const { model } = loop(tollgate, 100)
      const output = Output.object({ schema })
      expect(await failureOf(() => generateText({ model, prompt, output }))).toMatchObject(exceeded)
      expect(await failureOf(() => generateObject({ model, prompt, schema }))).toMatchObject(exceeded)
      expect(await charges()).toEqual([])
      const enough = loop(tollgate, rich).model
      expect((await generateText({ model: enough, prompt, output })).output).toHaveProperty("metres")
      const { object } = await generateObject({ model: enough, prompt, schema })
      expect(object).toHaveProperty("metres")
      expect(await charges()).toHaveLength(2)
    })
  })

  test("a model that the gateway does not have is no such model, whole and streamed", async ({ charges, tollgate }) => {
    const asked = { model: tollgate[api]("no-such-model"), prompt }
    const error = { name: "AI_NoSuchModelError", modelId: "no-such-model", data: { outcome: "not executed" } }
    expect(await failureOf(() => generateText(asked))).toMatchObject(error)
    const errors: Array<unknown> = []
    await streamText({ ...asked, onError: ({ error }) => void errors.push(error) }).consumeStream()
    expect(errors).toMatchObject([error])
    expect(await charges()).toEqual([])
  })

  test("a cap that is too low is refused once, and nothing is charged", async ({ charges, tollgate }) => {
    const model = tollgate[api]("sandbox", { maxPrice: "0.000001" })
    const error = await failureOf(() => generateText({ model, prompt }))
    if (!APICallError.isInstance(error)) throw error
    expect(error).toMatchObject({
      statusCode: 402,
      isRetryable: false,
      data: { tag: "OverBudget", outcome: "not executed" }
    })
    expect(await charges()).toEqual([])
    const { providerMetadata } = await generateText({
      model,
      prompt,
      providerOptions: { tollgate: { maxPrice: "0.10", quote: true, tags: { team: "search" } } }
    })
    const { cost, maxPrice, quote } = metadataOf({ providerMetadata } as never) ?? {}
    expect(maxPrice).toBe("0.10")
    expect(cost?.micros).toBeLessThanOrEqual(quote?.max.micros ?? 0)
    expect(await charges()).toEqual([cost?.micros])
  })

  losing("a lost answer is not repeated by maxRetries, and is had under its key for one charge", 1, async (given) => {
    const ask = (more: TollgateCallOptions = {}) =>
      generateText({
        model: given.tollgate[api]("sandbox"),
        prompt,
        maxRetries: 5,
        providerOptions: { tollgate: more }
      })
    const error = await failureOf(ask)
    if (!APICallError.isInstance(error)) throw error
    const { idempotencyKey = "", outcome, tag } = error.data as TollgateFailure
    expect([error.isRetryable, tag, outcome, given.dropped()]).toEqual([false, "OutcomeUnknown", "unknown", 1])
    const { providerMetadata } = await ask({ idempotencyKey })
    const { cost, replayed } = metadataOf({ providerMetadata } as never) ?? {}
    expect(replayed).toBe(true)
    expect(await given.charges()).toEqual([cost?.micros])
  })

  losing("a lost answer is asked for by the client, for one charge", 2, async ({ baseUrl, charges, dropped }) => {
    const tollgate = providerAt(baseUrl, { retry: { backoffMillis: 1 } })
    const result = await generateText({ model: tollgate[api]("sandbox"), prompt, maxRetries: 5 })
    expect(dropped()).toBe(2)
    expect(await charges()).toEqual([metadataOf(result)?.cost.micros])
    await tollgate.client.close()
  })

  losing("a lost answer in the second step is had under the loop's key", 3, async ({ baseUrl, charges, tollgate }) => {
    const ask = (provider: TollgateProvider) =>
      generateText({
        model: provider[api]("sandbox"),
        prompt,
        tools: { depth },
        stopWhen: isStepCount(3),
        providerOptions: { tollgate: { idempotencyKey: "river-2" } }
      })
    // Each attempt loses one answer: of the first step, of its repetition, and of the second step.
    for (const _ of [1, 2]) {
      const error = await failureOf(() => ask(tollgate))
      expect(error).toMatchObject({ data: { tag: "OutcomeUnknown", idempotencyKey: "river-2" } })
    }
    expect(await charges()).toHaveLength(1)
    const patient = providerAt(baseUrl, { retry: { backoffMillis: 1 } })
    const { steps, text } = await ask(patient)
    expect(text).toContain("4321")
    expect(steps).toHaveLength(2)
    expect(await charges()).toHaveLength(2)
    await patient.client.close()
  })

  losing("a lost stream is not repeated", 1, async ({ charges, dropped, tollgate }) => {
    const seen: Array<unknown> = []
    const stream = streamText({
      model: tollgate[api]("sandbox"),
      prompt,
      maxRetries: 5,
      onError: ({ error }) => void seen.push(error)
    })
    expect(await failureOf(() => stream.consumeStream())).toBeUndefined()
    expect(seen).toMatchObject([{ isRetryable: false, data: { tag: "OutcomeUnknown", outcome: "unknown" } }])
    expect(dropped()).toBe(1)
    expect(await charges()).toHaveLength(1)
  })

  test("what has not run is repeated by the client, not by maxRetries, and charged once", async ({
    baseUrl,
    charges
  }) => {
    let sent = 0
    const busy = () => {
      sent++
      return sent < 3 ? { "x-tollgate-scenario": "status; code=429; after=0" } : {}
    }
    const tollgate = providerAt(baseUrl, { retry: { backoffMillis: 1 }, beforeRequest: busy })
    const result = await generateText({ model: tollgate[api]("sandbox"), prompt, maxRetries: 0 })
    expect(sent).toBe(3)
    expect(await charges()).toEqual([metadataOf(result)?.cost.micros])
    await tollgate.client.close()
  })

  test("an aborted call is an abort, and its answer is had under its key for one charge", async (given) => {
    const controller = new AbortController()
    const ask = (more: TollgateCallOptions, abortSignal?: AbortSignal) =>
      generateText({
        model: given.tollgate[api]("sandbox", { scenario: "slow; ms=300" }),
        prompt,
        ...(abortSignal && { abortSignal }),
        providerOptions: { tollgate: more }
      })
    setTimeout(() => controller.abort(), 50)
    const error = (await failureOf(() => ask({}, controller.signal))) as { readonly idempotencyKey: string }
    expect(error).toMatchObject({ name: "AbortError", _tag: "CallAborted", idempotencyKey: expect.any(String) })
    const { providerMetadata } = await ask({ idempotencyKey: error.idempotencyKey })
    expect(await given.charges()).toEqual([metadataOf({ providerMetadata } as never)?.cost.micros])
  })

  test("an aborted step of a loop is had under the key that the abort tells", async ({ charges, tollgate }) => {
    const first = await generateText({ model: tollgate[api]("sandbox"), prompt, tools: { depth } })
    const messages = [{ role: "user" as const, content: prompt }, ...first.responseMessages]
    const controller = new AbortController()
    const ask = (more: TollgateCallOptions, abortSignal?: AbortSignal) =>
      generateText({
        model: tollgate[api]("sandbox", { scenario: "slow; ms=300", ...more }),
        messages,
        tools: { depth },
        ...(abortSignal && { abortSignal })
      })
    setTimeout(() => controller.abort(), 50)
    const error = (await failureOf(() => ask({}, controller.signal))) as { readonly idempotencyKey: string }
    const second = await ask({ idempotencyKey: error.idempotencyKey })
    expect(await charges()).toEqual([first, second].map((result) => metadataOf(result)?.cost.micros))
  })

  test("an aborted stream ends, and is charged once for what was delivered", async ({ charges, tollgate }) => {
    const controller = new AbortController()
    const stream = streamText({
      model: tollgate[api]("sandbox", { scenario: "interval; ms=20" }),
      prompt,
      abortSignal: controller.signal
    })
    const types: Array<string> = []
    for await (const { type } of stream.fullStream) {
      types.push(type)
      if (type === "text-delta") controller.abort()
    }
    expect(types.at(-1)).toBe("abort")
    await expect.poll(charges).toEqual([expect.any(Number)])
  })

  test("a stream that breaks is an error with its outcome, and no half a tool runs", async ({ charges, tollgate }) => {
    let runs = 0
    const seen: Array<unknown> = []
    // Google sends a tool in one piece, so it is whole. `ai` does not run it before the answer has ended.
    const [after, whole] = api === "gemini" ? [1, 1] : [api === "responses" ? 5 : 3, 0]
    const stream = streamText({
      model: tollgate[api]("sandbox", { scenario: `reset; after=${after}` }),
      prompt,
      tools: { depth: { ...depth, execute: async () => runs++ } },
      stopWhen: isStepCount(3),
      onError: ({ error }) => void seen.push(error)
    })
    const parts: Array<TextStreamPart<ToolSet>> = []
    for await (const part of stream.fullStream) parts.push(part)
    expect(parts.filter(({ type }) => type === "tool-call")).toHaveLength(whole)
    expect(parts.find((part) => part.type === "finish")).toMatchObject({ finishReason: "error" })
    expect(seen).toMatchObject([{ isRetryable: false, data: { outcome: "executed" } }])
    expect(runs).toBe(0)
    await expect.poll(charges).toEqual([expect.any(Number)])
  })
})

test("vectors, one call for all of them, and a ranking", async ({ charges, tollgate }) => {
  const one = await embed({ model: tollgate.embeddingModel("sandbox"), value: "a river" })
  expect(one.embedding).toHaveLength(1536)
  const values = Array.from({ length: 50 }, (_, i) => `river ${i}`)
  const many = await embedMany({
    model: tollgate.embeddingModel("sandbox", { idempotencyKey: "vectors" }),
    values
  })
  expect(many.embeddings).toHaveLength(50)
  const ranked = await rerank({
    model: tollgate.rerankingModel("sandbox"),
    query: "river",
    documents: ["a bridge ".repeat(50), "a river bends"],
    topN: 1
  })
  expect(ranked.rerankedDocuments).toEqual(["a river bends"])
  expect(await charges()).toEqual([one, many, ranked].map((given) => metadataOf(given as never)?.cost.micros))
})

test("images, and changed images, with what they cost", async ({ baseUrl, charges }) => {
  // It learns the path of the operator from the gateway.
  const tollgate = createTollgate({ baseUrl, credential: key })
  const model = tollgate.imageModel("sandbox")
  const two = await generateImage({ model, prompt: "A river at dawn", n: 2, seed: 7 })
  expect(two.images.map(({ mediaType }) => mediaType)).toEqual(["image/png", "image/png"])
  expect(two.warnings).toEqual([{ type: "unsupported", feature: "seed" }])
  const changed = await generateImage({
    model,
    prompt: { text: "At night", images: [two.image.uint8Array], mask: pixel }
  })
  const several = await generateImage({
    model,
    prompt: { text: "Both", images: two.images.map((image) => image.base64) }
  })
  const costs = [two, changed, several].map((result) => costOf([result]))
  expect(costs[0]).toMatchObject({ state: "settled", micros: 20_000 })
  expect(await charges()).toEqual(costs.map(({ micros }) => micros))
  const poor = createTollgate({ client: tollgate.client.withBudget("0.015") }).imageModel("sandbox")
  const error = await failureOf(() => generateImage({ model: poor, prompt: "A river", n: 2, maxRetries: 5 }))
  expect(error).toMatchObject({ isRetryable: false, data: { tag: "BudgetExceeded", outcome: "not executed" } })
  const unknown = await failureOf(() => generateImage({ model: tollgate.imageModel("none"), prompt: "A river" }))
  expect(unknown).toMatchObject({ name: "AI_NoSuchModelError", modelType: "imageModel" })
  expect(await charges()).toHaveLength(3)
  await tollgate.client.close()
})

test("an option that does not exist is refused before anything is sent", async ({ charges, tollgate }) => {
  expect(() => tollgate("sandbox", { maxprice: "1" } as never)).toThrow(/maxprice is not known/)
  const providerOptions = { tollgate: { maxprice: "1" } }
  const uses = {
    text: () => generateText({ model: tollgate("sandbox"), prompt, providerOptions }),
    stream: async () => {
      let failure: unknown
      const onError = ({ error }: { readonly error: unknown }) => void (failure = error)
      await streamText({ model: tollgate("sandbox"), prompt, providerOptions, onError }).consumeStream()
      throw failure
    },
    embedding: () => embed({ model: tollgate.embeddingModel("sandbox"), value: "a river", providerOptions })
  }
  for (const [name, use] of Object.entries(uses)) {
    const error = await failureOf(use)
    expect(InvalidArgumentError.isInstance(error), name).toBe(true)
    expect(error).toMatchObject({ message: expect.stringContaining("providerOptions.tollgate.maxprice is not known") })
  }
  expect(
    await failureOf(() => generateText({ model: tollgate("sandbox", { maxPrice: "cheap" }), prompt }))
  ).toMatchObject({
    name: "AI_InvalidArgumentError"
  })
  expect(await charges()).toEqual([])
})

test("no error shows the credential or the conversation", async ({ baseUrl }) => {
  const tollgate = createTollgate({ baseUrl, credential: "tg_not-a-key-of-this-gateway" })
  const error = await failureOf(() => generateText({ model: tollgate("sandbox"), prompt: "a secret of mine" }))
  expect(error).toMatchObject({ statusCode: 401, isRetryable: false })
  const shown =
    JSON.stringify([error, (error as Error).message, (error as Error).cause]) + String((error as Error).stack)
  expect(shown).not.toContain("not-a-key")
  expect(shown).not.toContain("secret of mine")
})

test("a registry finds models by name", async ({ charges, tollgate }) => {
  const registry = createProviderRegistry({ tollgate })
  const result = await generateText({ model: registry.languageModel("tollgate:sandbox"), prompt })
  expect(await charges()).toEqual([metadataOf(result)?.cost.micros])
  expect(registry.imageModel("tollgate:sandbox").modelId).toBe("sandbox")
})
