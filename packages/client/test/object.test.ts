import { describe, expect, it } from "@effect/vitest"
import {
  chatCompletions,
  type Client,
  embeddings,
  generateContent,
  messages,
  rerank,
  responses,
  withBudget,
  withMaxPrice
} from "@tollgate/client"
import { object, ObjectInvalid } from "@tollgate/client/object"
import { fail, type ScriptedGateway, scriptedGateway, testClient } from "@tollgate/client/testing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { anthropicStyle, chat, geminiStyle, responsesStyle } from "./modelAnswers.ts"

const Person = Schema.Struct({ name: Schema.String, age: Schema.Int })
const ada = { name: "Ada", age: 36 }
const valid = JSON.stringify(ada)
const wrong = JSON.stringify({ name: "Ada", age: "old" })

const person = (options?: Parameters<typeof object>[3]) => object(chatCompletions, Person, chat.input, options)

const invalidOf = <A, R>(effect: Effect.Effect<A, unknown, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    if (error instanceof ObjectInvalid) return error
    throw new Error(`not ObjectInvalid: ${String(error)}`)
  })

const micros = (error: { readonly charge: { readonly micros?: unknown } }) => Number(error.charge.micros)

describe("the value and its cost, in each protocol", () => {
  const closed = { type: "object", required: ["name", "age"], additionalProperties: false }

  it.effect("OpenAI: response_format with a strict schema", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, { text: valid, cost: "0.01" })
    return Effect.gen(function* () {
      const { charge, value } = yield* object(chatCompletions, Person, chat.input)
      expect(value).toEqual(ada)
      expect([charge.state, Number(charge.micros)]).toEqual(["settled", 10_000])
      const [call] = gateway.calls(chatCompletions)
      expect(call?.input).toMatchObject({
        ...chat.input,
        response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema: closed } }
      })
    }).pipe(Effect.provide(gateway.layer()))
  })

  it.effect("OpenAI's Responses: text.format, and a repair with the items that can be sent back", () => {
    const gateway = scriptedGateway()
    responsesStyle.answer(gateway, { text: "{}", cost: "0.01" }, { text: valid, cost: "0.01" })
    return Effect.gen(function* () {
      const input = { ...responsesStyle.input, text: { verbosity: "low" } } as const
      const { charge, value } = yield* object(responses, Person, input)
      expect([value, charge]).toEqual([ada, { state: "settled", micros: 20_000 }])
      const [first, second] = gateway.calls(responses)
      expect(first?.input).toMatchObject({
        input: "Who?",
        text: { verbosity: "low", format: { type: "json_schema", name: "answer", strict: true, schema: closed } }
      })
      expect((second?.input as { readonly input?: unknown } | undefined)?.input).toMatchObject([
        { role: "user", content: "Who?" },
        { id: "rs_2" },
        { type: "message" },
        { role: "user", content: expect.stringContaining("does not match the schema") }
      ])
    }).pipe(Effect.provide(gateway.layer()))
  })

  it.effect("nothing else that takes a model: it is refused before it is paid", () => {
    const gateway = scriptedGateway()
    return Effect.gen(function* () {
      const asked = object(embeddings as never, Person, chat.input)
      const error = yield* Effect.flip(asked as Effect.Effect<unknown, unknown, Client>)
      expect(error).toMatchObject({ _tag: "InputInvalid", operation: "embeddings" })
      expect(gateway.calls(embeddings)).toEqual([])
    }).pipe(Effect.provide(gateway.layer()))
  })

  it.effect("Anthropic: output_config.format, beside what else it has", () => {
    const gateway = scriptedGateway()
    anthropicStyle.answer(gateway, { text: valid, cost: "0.01" })
    return Effect.gen(function* () {
      const input = { ...anthropicStyle.input, output_config: { effort: "low" } }
      expect((yield* object(messages, Person, input)).value).toEqual(ada)
      expect(gateway.calls(messages)[0]?.input).toMatchObject({
        output_config: { effort: "low", format: { type: "json_schema", schema: closed } }
      })
    }).pipe(Effect.provide(gateway.layer()))
  })

  it.effect("Gemini: responseJsonSchema, beside what else the configuration has", () => {
    const gateway = scriptedGateway()
    geminiStyle.answer(gateway, { text: valid, cost: "0.01" })
    return Effect.gen(function* () {
      const { body, path } = geminiStyle.input
      const input = { path, body: { ...body, generationConfig: { temperature: 0 } } }
      expect((yield* object(generateContent, Person, input)).value).toEqual(ada)
      expect(gateway.calls(generateContent)[0]?.input).toMatchObject({
        path,
        body: {
          generationConfig: {
            temperature: 0,
            responseMimeType: "application/json",
            responseJsonSchema: { type: "object", required: ["name", "age"] }
          }
        }
      })
    }).pipe(Effect.provide(gateway.layer()))
  })
})

describe("an answer that does not match goes back once", () => {
  for (const [name, style, last] of [
    ["OpenAI", chat, (input: unknown) => (input as typeof chat.input).messages.slice(1)],
    ["Anthropic", anthropicStyle, (input: unknown) => (input as typeof anthropicStyle.input).messages.slice(1)],
    ["Gemini", geminiStyle, (input: unknown) => (input as typeof geminiStyle.input).body.contents.slice(1)]
  ] as const) {
    it.effect(`${name}: with the invalid answer and what is wrong with it`, () => {
      const gateway = scriptedGateway()
      style.answer(gateway, { text: wrong, cost: "0.01" }, { text: valid, cost: "0.02" })
      return Effect.gen(function* () {
        const { charge, value } = yield* object(style.model as typeof chatCompletions, Person, style.input as never)
        expect(value).toEqual(ada)
        expect([charge.state, Number(charge.micros)]).toEqual(["settled", 30_000])
        const [first, second] = gateway.requests
        const [said, told] = last(second?.input)
        expect(JSON.stringify(said)).toContain(JSON.stringify(wrong).slice(1, -1))
        expect(JSON.stringify(told)).toContain("age: ")
        expect(first?.idempotencyKey).not.toBe(second?.idempotencyKey)
        gateway.check()
      }).pipe(Effect.provide(gateway.layer()))
    })
  }

  it.effect("a second wrong answer is an error with its text, the issues and the total charge", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, { text: "Ada, 36", cost: "0.01" }, { text: wrong, cost: "0.02" })
    return Effect.gen(function* () {
      const error = yield* invalidOf(person())
      expect(error).toMatchObject({
        reason: "mismatch",
        text: wrong,
        outcome: "executed",
        operation: "chat.completions"
      })
      expect(error.issues.map(({ path }) => path)).toEqual([["age"]])
      expect(micros(error)).toBe(30_000)
      gateway.check()
    }).pipe(Effect.provide(gateway.layer()))
  })

  it.effect("not with repair: false", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, { text: wrong, cost: "0.01" })
    return Effect.gen(function* () {
      expect(micros(yield* invalidOf(person({ repair: false })))).toBe(10_000)
    }).pipe(Effect.provide(gateway.layer()))
  })

  it.effect("a repair that fails is told with what the first answer cost", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, { text: wrong, cost: "0.01" }, fail("invalid_request"))
    return Effect.gen(function* () {
      const error = yield* invalidOf(person())
      expect(error).toMatchObject({ reason: "mismatch", text: wrong, cause: { _tag: "InvalidRequest" } })
      expect([error.charge.state, micros(error)]).toEqual(["settled", 10_000])
    }).pipe(Effect.provide(gateway.layer()))
  })

  it.effect("an own idempotency key is the first call's, and the repair has one of its own", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, { text: wrong }, { text: valid })
    return Effect.gen(function* () {
      yield* person({ idempotencyKey: "k" })
      expect(gateway.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["k", "k.repair"])
    }).pipe(Effect.provide(gateway.layer()))
  })
})

describe("answers that cannot be repaired", () => {
  for (const [reason, said] of [
    ["refusal", { text: "I cannot help with that", finish: "refusal" }],
    ["length", { text: '{"name":"A', finish: "length" }],
    ["empty", { text: "" }]
  ] as const) {
    it.effect(`${reason}: an error at once, with what it cost`, () =>
      Effect.forEach([chat, responsesStyle, anthropicStyle, geminiStyle], (style) => {
        const gateway = scriptedGateway()
        style.answer(gateway, { ...said, cost: "0.01" })
        return Effect.gen(function* () {
          const error = yield* invalidOf(object(style.model as typeof chatCompletions, Person, style.input as never))
          expect(error).toMatchObject({ reason, text: said.text, issues: [] })
          expect(micros(error)).toBe(10_000)
        }).pipe(Effect.provide(gateway.layer()))
      })
    )
  }
})

describe("maxPrice is over both calls together", () => {
  const caps = (gateway: ScriptedGateway) =>
    gateway.calls(chatCompletions).map(({ headers }) => headers["x-tollgate-max-price-usd"])

  it.effect("the repair is capped with what the first call left", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, { text: wrong, cost: "0.01" }, { text: valid, cost: "0.02" })
    return Effect.gen(function* () {
      yield* person({ maxPrice: "0.10" })
      expect(caps(gateway)).toEqual(["0.1", "0.09"])
    }).pipe(Effect.provide(gateway.layer()))
  })

  it.effect("also if it is set by withMaxPrice", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, { text: wrong, cost: "0.01" }, { text: valid })
    return Effect.gen(function* () {
      yield* withMaxPrice("0.10")(person())
      expect(caps(gateway)).toEqual(["0.1", "0.09"])
    }).pipe(Effect.provide(gateway.layer()))
  })

  it.effect("a repair that could exceed it is not made", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, { text: wrong, cost: "0.02" })
    return Effect.gen(function* () {
      const error = yield* invalidOf(person({ maxPrice: "0.06" }))
      expect(error).toMatchObject({ reason: "mismatch", cause: { _tag: "OverBudget" } })
      expect([micros(error), gateway.charged]).toEqual([20_000, "0.020000"])
    }).pipe(Effect.provide(gateway.layer()))
  })

  it("an answer that was lost and replayed counts with what it cost", async () => {
    const { client, clock, gateway } = testClient()
    clock.auto()
    chat.answer(gateway, { text: wrong, cost: "0.01", lost: true }, { text: valid, cost: "0.01" })
    const { charge } = await object(client.chatCompletions, Person, chat.input, { maxPrice: "0.20" })
    expect(caps(gateway)).toEqual(["0.2", "0.2", "0.19"])
    expect([charge.state, Number(charge.micros)]).toEqual(["settled", 20_000])
  })

  it.effect("a budget around it holds too", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, { text: wrong, cost: "0.02" })
    return Effect.gen(function* () {
      const error = yield* invalidOf(withBudget("0.06")(person()))
      expect(error).toMatchObject({ cause: { _tag: "BudgetExceeded" } })
    }).pipe(Effect.provide(gateway.layer()))
  })
})

it.effect("errors of the first call are the operation's own", () => {
  const gateway = scriptedGateway()
  chat.answer(gateway, fail("invalid_request"))
  return Effect.gen(function* () {
    expect((yield* Effect.flip(person()))._tag).toBe("InvalidRequest")
    expect(yield* Effect.flip(person({ maxPrice: "much" }))).toMatchObject({ _tag: "InputInvalid" })
    const other = object(rerank as never, Person, chat.input as never)
    expect(yield* Effect.flip(other as Effect.Effect<unknown, unknown>)).toMatchObject({ _tag: "InputInvalid" })
  }).pipe(Effect.provide(gateway.layer()))
})

describe("with promises", () => {
  it("gives the same values and errors", async () => {
    const { client, gateway } = testClient()
    chat.answer(gateway, { text: wrong, cost: "0.01" }, { text: valid, cost: "0.02" }, { text: "" })
    const { charge, value } = await object(client.chatCompletions, Person, chat.input, { maxPrice: "0.10" })
    expect(value).toEqual(ada)
    expect(Number(charge.micros)).toBe(30_000)
    await expect(object(client.chatCompletions, Person, chat.input)).rejects.toBeInstanceOf(ObjectInvalid)
  })

  it("is under the client's budget, and stops with its signal", async () => {
    const { client, gateway } = testClient()
    chat.answer(gateway, { text: valid })
    const poor = client.withBudget("0.01")
    await expect(object(poor.chatCompletions, Person, chat.input)).rejects.toMatchObject({ _tag: "BudgetExceeded" })
    const signal = AbortSignal.abort(new Error("left"))
    await expect(object(client.chatCompletions, Person, chat.input, { signal })).rejects.toMatchObject({
      _tag: "CallAborted",
      outcome: "not executed"
    })
    expect(gateway.calls(chatCompletions)).toHaveLength(0)
  })
})

describe("what is paid for", () => {
  it.effect("is quoted with all fields if a stored answer does not say what it cost", () => {
    const gateway = scriptedGateway().price(chatCompletions, "0.05")
    const headers = { "idempotent-replayed": "true" }
    chat.answer(gateway, { text: wrong, cost: "0.01", headers }, { text: valid, cost: "0.01" })
    return Effect.gen(function* () {
      yield* person({ maxPrice: "1", extra: { max_completion_tokens: 5_000 } })
      const [quoted] = gateway.quotes(chatCompletions)
      expect(quoted?.input).toMatchObject({ max_completion_tokens: 5_000 })
    }).pipe(Effect.provide(gateway.layer()))
  })

  it.effect("is not lost if the schema throws", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, { text: valid, cost: "0.01" })
    const throws = () => expect.fail("no such table")
    const Thrown = { "~standard": { version: 1, vendor: "any", validate: throws } } as const
    return Effect.gen(function* () {
      const options = { jsonSchema: { type: "object" }, repair: false }
      const error = yield* invalidOf(object(chatCompletions, Thrown, chat.input, options))
      expect([micros(error), error.message, error.text]).toEqual([
        10_000,
        expect.stringContaining("no such table"),
        valid
      ])
    }).pipe(Effect.provide(gateway.layer()))
  })
})
