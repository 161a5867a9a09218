import { expect, it } from "@effect/vitest"
import { chatCompletions, generateContent, messages, responses } from "@tollgate/client"
import { object, ObjectInvalid } from "@tollgate/client/object"
import { createClient, NodeClient } from "@tollgate/node"
import { Host, key, TestGateway } from "@tollgate/testing"
import { calls, priced } from "@tollgate/testing/models"
import { toJsonSchema, toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as v from "valibot"
import { expectTypeOf } from "vitest"
import * as z from "zod"

const gateway = Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))

const text = "Describe a river"
const chat = { model: "sandbox", messages: [{ role: "user" as const, content: text }] }
const anthropic = { ...chat, max_tokens: 500 }
const gemini = { path: { model: "sandbox" }, body: { contents: [{ role: "user" as const, parts: [{ text }] }] } }

/** What the ledger charged, in micro-USD. */
const charged = Effect.map(calls, (rows) => rows.reduce((sum, row) => sum + Number(row.charged), 0))

const River = Schema.Struct({
  name: Schema.String,
  length: Schema.Finite.check(Schema.isGreaterThan(0)),
  source: Schema.optionalKey(Schema.String),
  mouth: Schema.Literals(["sea", "lake"])
})

const zodRiver = z.object({
  name: z.string().min(1),
  length: z.int().positive(),
  source: z.string().optional(),
  mouth: z.enum(["sea", "lake"]),
  rapids: z.array(z.object({ grade: z.int().min(1).max(6) }))
})

const valibotRiver = v.object({ name: v.string(), mouth: v.picklist(["sea", "lake"]), source: v.optional(v.string()) })

it.live("a value of an Effect Schema, from each protocol, and what it cost", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = NodeClient.layer({ baseUrl, credential: key })
    const all = yield* Effect.all([
      object(chatCompletions, River, chat, { maxPrice: "0.10" }),
      object(responses, River, { model: "sandbox", input: text }, { maxPrice: "0.10" }),
      object(messages, River, anthropic, { maxPrice: "0.10" }),
      object(generateContent, River, gemini, { maxPrice: "0.10" })
    ]).pipe(Effect.provide(client))
    expectTypeOf(all[0].value).toEqualTypeOf<typeof River.Type>()
    for (const { charge, value } of all) {
      expect(Schema.is(River)(value)).toBe(true)
      expect(charge.state).toBe("settled")
    }
    expect(all.reduce((sum, { charge }) => sum + (charge.micros ?? 0), 0)).toBe(yield* charged)
  }).pipe(Effect.provide(gateway))
)

it.live("with promises, of a zod schema, a valibot schema and an ArkType", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = createClient({ baseUrl, credential: key })
    const ask = async () => {
      const fromChat = await object(client.chatCompletions, zodRiver, chat)
      expectTypeOf(fromChat.value).toEqualTypeOf<z.output<typeof zodRiver>>()
      expect(zodRiver.parse(fromChat.value)).toEqual(fromChat.value)
      expect(zodRiver.parse((await object(client.messages, zodRiver, anthropic)).value)).toBeDefined()
      expect(zodRiver.parse((await object(client.generateContent, zodRiver, gemini)).value)).toBeDefined()

      const fromValibot = await object(client.chatCompletions, toStandardJsonSchema(valibotRiver), chat)
      expectTypeOf(fromValibot.value).toEqualTypeOf<v.InferOutput<typeof valibotRiver>>()
      const jsonSchema = { ...toJsonSchema(valibotRiver) }
      const { value } = await object(client.messages, valibotRiver, anthropic, { jsonSchema })
      expect(v.parse(valibotRiver, value)).toEqual(value)
      const arkRiver = type({ name: "string", mouth: "'sea' | 'lake'", "source?": "string", lengths: "number[]" })
      const fromArk = await object(client.responses, arkRiver, { model: "sandbox", input: text })
      expectTypeOf(fromArk.value).toEqualTypeOf<typeof arkRiver.infer>()
      expect(arkRiver(fromArk.value)).toEqual(fromArk.value)
      const unwritable = type({ at: "Date" })
      const refused: unknown = await object(client.responses, unwritable, { model: "sandbox", input: text }).catch(
        (reason: unknown) => reason
      )
      expect(refused).toMatchObject({ _tag: "InputInvalid", outcome: "not executed" })
      const error: unknown = await object(client.chatCompletions, valibotRiver, chat).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ _tag: "InputInvalid", message: expect.stringContaining("toStandardJsonSchema") })
    }
    yield* Effect.promise(ask)
    yield* Effect.promise(() => client.close())
  }).pipe(Effect.provide(gateway))
)

it.live("lists, unions and transformed values too", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = createClient({ baseUrl, credential: key })
    const ask = async () => {
      const list = await object(client.chatCompletions, z.array(z.string()), chat)
      expectTypeOf(list.value).toEqualTypeOf<Array<string>>()
      expect(list.value.length).toBeGreaterThan(0)
      const one = z.union([z.object({ kind: z.literal("sea") }), z.object({ kind: z.literal("lake") })])
      expect((await object(client.messages, one, anthropic)).value).toHaveProperty("kind")
      const day = z.object({ day: z.iso.datetime().transform((written) => new Date(written)) })
      const { value } = await object(client.generateContent, day, gemini)
      expectTypeOf(value.day).toEqualTypeOf<Date>()
      expect(value.day.getUTCFullYear()).toBe(2026)
    }
    yield* Effect.promise(ask)
    yield* Effect.promise(() => client.close())
  }).pipe(Effect.provide(gateway))
)

it.live("a value that never matches costs two calls within maxPrice, and the error says how much", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = createClient({ baseUrl, credential: key })
    const never = z.object({ name: z.string() }).refine(() => false, "Nothing will do")
    const ask = () =>
      object(client.chatCompletions, never, chat, { maxPrice: "0.10" }).catch((reason: unknown) => reason)
    const error = yield* Effect.promise(ask)
    if (!(error instanceof ObjectInvalid)) throw error
    expect(error).toMatchObject({ reason: "mismatch", issues: [{ message: "Nothing will do" }] })
    const rows = yield* calls
    expect(rows.map(({ state }) => state)).toEqual(["settled", "settled"])
    expect(error.charge).toEqual({ state: "settled", micros: yield* charged })
    yield* Effect.promise(() => client.close())
  }).pipe(Effect.provide(gateway))
)
