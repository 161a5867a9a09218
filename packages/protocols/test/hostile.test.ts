import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parse, stringify } from "../src/exact.ts"
import { isObject, type Json, Malformed } from "../src/json.ts"
import { Lost } from "../src/losses.ts"
import { answer, conversation } from "./arbitrary.ts"
import { codecs } from "./codecs.ts"

const options = { created: 1_700_000_000, wantsUsage: true, isArray: false }

const json = fc.jsonValue({ maxDepth: 3 })

const fields = fc.dictionary(fc.string(), json) as fc.Arbitrary<Json>

/** `value` with something else at the place that `path` leads to. */
const spoiled = (value: unknown, path: ReadonlyArray<number>, other: unknown): unknown => {
  const [at, ...rest] = path
  if (at === undefined || typeof value !== "object" || value === null) return other
  const keys = Object.keys(value)
  if (keys.length === 0) return other
  const key = keys[at % keys.length] ?? ""
  if (Array.isArray(value))
    return value.map((item: unknown, i) => (String(i) === key ? spoiled(item, rest, other) : item))
  return { ...value, [key]: spoiled(Reflect.get(value, key), rest, other) }
}

const path = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 9 })

/** Whatever else it throws is a fault. */
const onlyMalformed = (read: () => unknown): void => {
  try {
    read()
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
}

const objectIn = (value: unknown): Json => (isObject(value) ? value : {})

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

describe.each(codecs)("$shape", (codec) => {
  it("reads any JSON as a request, or says where it is wrong", () => {
    fc.assert(fc.property(fields, (body) => onlyMalformed(() => codec.readRequest(body))))
    fc.assert(
      fc.property(conversation, path, json, (given, path, other) => {
        const body = codec.writeRequest(given, new Lost(), { limit: 100 })
        onlyMalformed(() => codec.readRequest(objectIn(spoiled({ ...body, model: "m" }, path, other))))
      })
    )
  })

  it("writes what it read of any JSON in every protocol, or says where it is wrong", () => {
    fc.assert(
      fc.property(conversation, path, json, (given, path, other) => {
        const body = codec.writeRequest(given, new Lost(), { limit: 100 })
        onlyMalformed(() => {
          const read = codec.readRequest(objectIn(spoiled({ ...body, model: "m" }, path, other)))
          for (const target of codecs) stringify(target.writeRequest(read, new Lost(), { limit: 100 }))
        })
      })
    )
  })

  it("reads any JSON as an answer", () => {
    fc.assert(fc.property(fields, (body) => onlyMalformed(() => codec.readAnswer(body))))
    fc.assert(
      fc.property(answer, path, json, (given, path, other) => {
        const body = objectIn(spoiled(codec.writeAnswer(given, options), path, other))
        onlyMalformed(() => {
          const read = codec.readAnswer(body)
          for (const target of codecs) stringify(target.writeAnswer(read, options))
        })
      })
    )
  })

  it("reads any JSON in a stream", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(answer, path, json), { maxLength: 4 }), fc.array(fields), (items, more) => {
        const reader = codec.reader()
        const writer = codec.writer(options)
        onlyMalformed(() => {
          for (const [given, path, other] of items) {
            const item = objectIn(spoiled(codec.writeAnswer(given, options), path, other))
            for (const event of reader.next(item)) writer.next(event)
          }
          for (const item of more) for (const event of reader.next(item)) writer.next(event)
        })
      })
    )
  })

  it("refuses what is too deep", () => {
    const deep = parse(nested(200_000))
    const body = codec.writeRequest(
      {
        model: "m",
        system: [],
        messages: [
          { role: "user", parts: [{ type: "text", text: "Hi" }] },
          { role: "assistant", parts: [{ type: "call", id: "c", name: "look", arguments: '{"deep":"here"}' }] },
          { role: "user", parts: [{ type: "result", id: "c", parts: [{ type: "text", text: '{"deep":"here"}' }] }] }
        ],
        tools: [{ name: "look", parameters: { type: "object", properties: { a: { items: "here" } } } }],
        isStream: false,
        own: []
      },
      new Lost(),
      { limit: 100 }
    )
    const put = (value: unknown): unknown => {
      if (value === "here") return deep
      if (Array.isArray(value)) return value.map(put)
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, put(each)]))
        : value
    }
    onlyMalformed(() => {
      const read = codec.readRequest(objectIn(put(body)))
      for (const target of codecs) stringify(target.writeRequest(read, new Lost(), { limit: 100 }))
    })
  })

  it("takes very many parts and turns", () => {
    const many = 100_000
    const text = { type: "text", text: "a" } as const
    const conversation = {
      model: "m",
      system: [],
      messages: [
        { role: "user", parts: Array.from({ length: many }, () => text) },
        { role: "user", parts: [text] },
        {
          role: "assistant",
          parts: Array.from({ length: many }, (_, i) => ({
            type: "call" as const,
            id: `call_${i}`,
            name: i % 2 === 0 ? "look" : "add",
            arguments: "{}"
          }))
        },
        {
          role: "user",
          parts: Array.from({ length: many }, (_, i) => ({
            type: "result" as const,
            id: `call_${many - 1 - i}`,
            parts: [text]
          }))
        },
        { role: "user", parts: [text] }
      ],
      isStream: false,
      own: []
    } as const
    const body = codec.writeRequest(conversation, new Lost(), { limit: 100 })
    const read = codec.readRequest({ ...body, model: "m" })
    expect(read.messages.flatMap(({ parts }): ReadonlyArray<unknown> => parts)).toHaveLength(3 * many + 2)
  })
})
