import { describe, expect, it } from "@effect/vitest"
import { chatCompletions, generateContent, messages } from "@tollgate/client"
import { object } from "@tollgate/client/object"
import { scriptedGateway } from "@tollgate/client/testing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { anthropicStyle, chat, geminiStyle } from "./modelAnswers.ts"

/** The schema that OpenAI gets, and the value that this answer becomes. */
const viaChat = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, answer: unknown) => {
  const gateway = scriptedGateway()
  chat.answer(gateway, { text: typeof answer === "string" ? answer : JSON.stringify(answer) })
  return Effect.gen(function* () {
    const { value } = yield* object(chatCompletions, schema, chat.input, { repair: false })
    const input = gateway.calls(chatCompletions)[0]?.input as { readonly response_format?: { json_schema: object } }
    return { value, sent: input.response_format?.json_schema }
  }).pipe(Effect.provide(gateway.layer()))
}

describe("OpenAI's strict schemas", () => {
  it.effect("have every property; one that may be missing may be null, and null is read as missing", () =>
    Effect.gen(function* () {
      const Pet = Schema.Struct({ name: Schema.optionalKey(Schema.String), owner: Schema.NullOr(Schema.String) })
      const Person = Schema.Struct({ age: Schema.optionalKey(Schema.Finite), pets: Schema.Array(Pet) })
      const { sent, value } = yield* viaChat(Person, { age: null, pets: [{ name: null, owner: null }] })
      expect(value).toEqual({ pets: [{ owner: null }] })
      expect(sent).toMatchObject({
        strict: true,
        schema: {
          required: ["age", "pets"],
          properties: {
            age: { anyOf: [{ type: "number" }, { type: "null" }] },
            pets: { items: { required: ["name", "owner"], additionalProperties: false } }
          }
        }
      })
    })
  )

  it.effect("tell the model what they cannot express in the description", () =>
    Effect.gen(function* () {
      const name = Schema.String.check(Schema.isMinLength(2), Schema.isMaxLength(9))
      const { sent } = yield* viaChat(Schema.Struct({ name, kind: Schema.Literal("person") }), {
        name: "Ada",
        kind: "person"
      })
      expect(sent).toHaveProperty("schema.properties.name", {
        type: "string",
        description: expect.stringMatching(/at least 2; .*at most 9; .*maxLength: 9/)
      })
      expect(sent).toMatchObject({ schema: { properties: { kind: { enum: ["person"] } } } })
    })
  )

  it.effect("are not claimed for what strict mode does not know: any keys, tuples", () =>
    Effect.gen(function* () {
      const Scores = Schema.Struct({ scores: Schema.Record(Schema.String, Schema.Finite) })
      const scores = yield* viaChat(Scores, { scores: { a: 1 } })
      expect(scores.value).toEqual({ scores: { a: 1 } })
      expect(scores.sent).toMatchObject({ strict: false })
      const pair = yield* viaChat(Schema.Struct({ pair: Schema.Tuple([Schema.String, Schema.Finite]) }), {
        pair: ["a", 1]
      })
      expect(pair.value).toEqual({ pair: ["a", 1] })
      expect(pair.sent).toMatchObject({ strict: false })
    })
  )

  it.effect("are objects: any other value is a property of one", () =>
    Effect.gen(function* () {
      const { sent, value } = yield* viaChat(Schema.Array(Schema.String), { value: ["a", "b"] })
      expect(value).toEqual(["a", "b"])
      expect(sent).toMatchObject({ schema: { type: "object", required: ["value"] } })
    })
  )

  it.effect("keep references, also from a schema to itself", () =>
    Effect.gen(function* () {
      interface Tree {
        readonly name: string
        readonly branches: ReadonlyArray<Tree>
      }
      const Tree: Schema.Codec<Tree> = Schema.Struct({
        name: Schema.String,
        branches: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
      }).annotate({ identifier: "Tree" })
      const tree = { name: "a", branches: [{ name: "b", branches: [] }] }
      const { sent, value } = yield* viaChat(Tree, tree)
      expect(value).toEqual(tree)
      expect(sent).toMatchObject({ strict: true, schema: { type: "object", $defs: { Tree: { type: "object" } } } })
    })
  )

  it.effect("decode values that JSON has no type for", () =>
    Effect.gen(function* () {
      class Event extends Schema.Class<Event>("Event")({ at: Schema.Date }) {}
      const { value } = yield* viaChat(Event, { at: "2026-01-15T12:00:00.000Z" })
      expect(value).toBeInstanceOf(Event)
      expect(value.at.getUTCFullYear()).toBe(2026)
    })
  )
})

it.effect("JSON in a code block is read", () =>
  Effect.gen(function* () {
    const { value } = yield* viaChat(Schema.Struct({ a: Schema.String }), '```json\n{"a":"b"}\n```')
    expect(value).toEqual({ a: "b" })
  })
)

it.effect("Gemini takes any keys; Anthropic does not, and nothing is sent", () => {
  const Scores = Schema.Struct({ scores: Schema.Record(Schema.String, Schema.Finite) })
  const gateway = scriptedGateway()
  geminiStyle.answer(gateway, { text: '{"scores":{"a":1}}' })
  return Effect.gen(function* () {
    const { value } = yield* object(generateContent, Scores, geminiStyle.input)
    expect(value).toEqual({ scores: { a: 1 } })
    const error = yield* Effect.flip(object(messages, Scores, anthropicStyle.input))
    expect(error).toMatchObject({ _tag: "InputInvalid", message: expect.stringContaining("any keys") })
    expect(gateway.calls(messages)).toEqual([])
  }).pipe(Effect.provide(gateway.layer()))
})

it.effect("Anthropic's schemas keep optional properties, and tell of numbers' limits", () => {
  const gateway = scriptedGateway()
  anthropicStyle.answer(gateway, { text: '{"grade":3}' })
  const Grade = Schema.Struct({
    grade: Schema.Finite.check(Schema.isGreaterThan(2)),
    note: Schema.optionalKey(Schema.String)
  })
  return Effect.gen(function* () {
    expect((yield* object(messages, Grade, anthropicStyle.input)).value).toEqual({ grade: 3 })
    expect(gateway.calls(messages)[0]?.input).toMatchObject({
      output_config: {
        format: {
          schema: {
            required: ["grade"],
            additionalProperties: false,
            properties: { grade: { type: "number", description: expect.stringContaining("exclusiveMinimum: 2") } }
          }
        }
      }
    })
  }).pipe(Effect.provide(gateway.layer()))
})
