import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { upstreamCodecs } from "../src/codecs.ts"
import { parse, parseObject, stringify } from "../src/exact.ts"
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
          for (const target of Object.values(upstreamCodecs))
            stringify(target.writeRequest(read, new Lost(), { limit: 100 }))
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
      for (const target of Object.values(upstreamCodecs))
        stringify(target.writeRequest(read, new Lost(), { limit: 100 }))
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

  it("joins very many turns of one side as fast as they are read", () => {
    const parts = [{ type: "text", text: "a" }] as const
    const messages = Array.from({ length: 200_000 }, () => ({ role: "user", parts }) as const)
    const given = { model: "m", system: [], messages, isStream: false, own: [] }
    const started = performance.now()
    codec.writeRequest(given, new Lost(), { limit: 100 })
    // A copy for each turn takes minutes.
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it("keeps its memory small while an answer arrives", { skip: codec.shape === "responses" }, () => {
    const writer = codec.writer(options)
    writer.next({ type: "start", id: "a", model: "m" })
    writer.next({ type: "open", part: "reasoning" })
    const text = "x".repeat(100_000)
    writer.next({ type: "more", text })
    let written = 0
    for (let i = 0; i < 100; i++) written += writer.next({ type: "sealed", sealed: { by: "google", data: "s" } }).length
    expect(written).toBeLessThan(2 * text.length)
  })
})

describe("the digits of numbers", () => {
  const time = (work: () => unknown): number => {
    const started = performance.now()
    work()
    return performance.now() - started
  }
  /** How many times longer it takes than to parse a million numbers. The shortest of three, since others use the machine too. */
  const timesLonger = (work: () => unknown): number => {
    const plain = list("12", 1_000_000)
    const shortest = (work: () => unknown) => Math.min(...[1, 2, 3].map(() => time(work)))
    return shortest(work) / shortest(() => JSON.parse(plain))
  }
  const list = (number: string, count: number): string => `{"a":1e1,"b":[${`${number},`.repeat(count)}${number}]}`

  it("are kept of very many numbers, and of more than that are refused soon", () => {
    const many = list("0.10", 100_000)
    expect(stringify(parse(many))).toBe(many)
    for (const number of ["0.10", "1e1", "-0", "12345678901234567890"]) {
      const text = list(number, 1_000_000)
      expect(timesLonger(() => expect(() => parse(text)).toThrow(Malformed))).toBeLessThan(100)
    }
  })

  it("take no long time of numbers that a double holds, nor of what is no JSON", () => {
    for (const number of ["12", "-5", "0.5", "123456789012345"]) {
      const text = list(number, 1_000_000)
      expect(timesLonger(() => parse(text))).toBeLessThan(100)
    }
    for (const wrong of ["1e", "1.", "-", '"\\"']) {
      const text = `{"a":1e1,"b":${wrong.repeat(1_000_000)}}`
      expect(timesLonger(() => expect(() => parse(text)).toThrow())).toBeLessThan(100)
    }
  })

  it("are not looked for in what would take long to parse", () => {
    const wide = `{"a":[${"1,".repeat(150_000)}1]}`
    const deep = `{"a":${"[".repeat(150_000)}${"]".repeat(150_000)}}`
    const long = JSON.stringify({ a: '[,{"\\'.repeat(150_000) })
    expect([wide, deep].map(parseObject)).toEqual([undefined, undefined])
    expect(parseObject(long)).toEqual(JSON.parse(long))
  })

  it("are the same of every kind of number", () => {
    for (const number of [
      "-0",
      "0.0",
      "-0.0",
      "1e400",
      "123456789012345",
      "1234567890123456",
      "-12345678901234567",
      "1E5"
    ]) {
      const text = `{"a":[${number},${number}],"b":${number}}`
      expect(stringify(parse(text))).toBe(text)
    }
  })
})

describe("a file by address", () => {
  const named = (shape: string) => codecs.find((codec) => codec.shape === shape)
  const filesOf = (shape: string, body: Json) =>
    named(shape)
      ?.readRequest(body)
      .messages.flatMap(({ parts }): ReadonlyArray<unknown> => parts)

  // An image by address is priced as one image, and a document as all that the model can read.
  it("is an image only where it is priced as one", () => {
    const url = "https://example.com/book.pdf"
    const source = { type: "url", media_type: "application/pdf", url }
    expect(filesOf("messages", { messages: [{ role: "user", content: [{ type: "image", source }] }] })).toEqual([
      { type: "file", mediaType: "image", source: { url } }
    ])
    const content = [{ type: "input_file", image_url: url }]
    expect(filesOf("responses", { input: [{ role: "user", content }] })).toEqual([
      { type: "file", mediaType: "application/pdf", source: { url: "" } }
    ])
  })

  it("is no film for Google where it is priced as an image", () => {
    const google = named("generateContent")
    const written = (url: string) => {
      const lost = new Lost()
      const part = { type: "file", mediaType: "image", source: { url } } as const
      const given = { model: "m", system: [], isStream: false, own: [] }
      const messages = [{ role: "user", parts: [part, { type: "text", text: "Hi" }] }] as const
      return { body: google?.writeRequest({ ...given, messages }, lost, { limit: 1 }), lost: [...lost.names] }
    }
    for (const url of ["https://www.youtube.com/watch?v=a", "HTTPS://youtu.be/a", "http://m.youtube.com:443/a"]) {
      expect(written(url)).toMatchObject({ lost: ["video"], body: { contents: [{ parts: [{ text: "Hi" }] }] } })
    }
    expect(written("https://example.com/youtube.com")).toMatchObject({
      lost: [],
      body: { contents: [{ parts: [{ fileData: { mimeType: "image/jpeg" } }, { text: "Hi" }] }] }
    })
  })
})
