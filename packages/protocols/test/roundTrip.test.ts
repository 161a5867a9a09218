import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Answer, AnswerEvent, AnswerPart, Conversation, Sealed, Usage } from "../src/Conversation.ts"
import type { Codec, WriterOptions } from "../src/Codec.ts"
import { parse, stringify } from "../src/exact.ts"
import { isObject, type Json } from "../src/json.ts"
import { Lost } from "../src/losses.ts"
import { answer, conversation, jsonObject } from "./arbitrary.ts"
import { codecs } from "./codecs.ts"

const options: WriterOptions = { created: 1_700_000_000, wantsUsage: true, isArray: false }

/** As it is sent: the bytes of a body, read by a parser that keeps every digit. */
const sent = (body: Json): Json => {
  const read = parse(stringify(body))
  if (!isObject(read)) throw new Error("no object")
  return read
}

const asked = (codec: Codec, conversation: Conversation): Conversation => {
  const lost = new Lost()
  const body = codec.writeRequest(conversation, lost, { limit: conversation.limit ?? 1_000 })
  expect([...lost.names, ...lost.fields]).toEqual([])
  // The path has the model, and whether the answer is streamed.
  return codec.readRequest({ ...sent(body), model: conversation.model, stream: conversation.isStream })
}

/** Undefined fields are those that are not there, and a name of a format is made up. */
const plain = (value: Conversation): unknown => {
  const { format, ...rest } = value
  return JSON.parse(
    JSON.stringify({ ...rest, format: format?.type === "schema" ? { type: "schema", schema: format.schema } : format })
  )
}

/** The items of a stream, which arrives in one piece. */
const itemsOf = (stream: string): ReadonlyArray<Json> =>
  stream
    .split(/\r?\n\r?\n/)
    .flatMap((event) => event.split(/\r?\n/).filter((line) => line.startsWith("data: ")))
    .map((line) => line.slice("data: ".length))
    .filter((data) => data !== "[DONE]")
    .map((data) => {
      const item = parse(data)
      if (!isObject(item)) throw new Error("no object")
      return item
    })

const eventsOf = (parts: ReadonlyArray<AnswerPart>, pieces: number): ReadonlyArray<AnswerEvent> =>
  parts.flatMap((part): ReadonlyArray<AnswerEvent> => {
    if (part.type === "own") return []
    const text = part.type === "call" ? part.arguments : part.text
    const size = Math.max(1, Math.ceil(text.length / pieces))
    const more = Array.from({ length: Math.ceil(text.length / size) }, (_, i): AnswerEvent => {
      return { type: "more", text: text.slice(i * size, (i + 1) * size) }
    })
    if (part.type === "call") {
      const { id, name, sealed } = part
      return [{ type: "open", part: "call", id, name, ...(sealed && { sealed }) }, ...more, { type: "close" }]
    }
    const signed = part.type === "reasoning" ? part.sealed : undefined
    return [
      { type: "open", part: part.type },
      ...more,
      ...(signed === undefined ? [] : [{ type: "sealed", sealed: signed } as const]),
      { type: "close" }
    ]
  })

const streamOf = ({ finish, id, model, parts, reason, usage }: Answer, pieces: number): ReadonlyArray<AnswerEvent> => [
  { type: "start", id, model },
  ...eventsOf(parts, pieces),
  { type: "usage", usage },
  { type: "finish", finish, reason },
  { type: "end" }
]

/** Puts an answer together. */
const gathered = (events: ReadonlyArray<AnswerEvent>) => {
  const parts: Array<{ type: string; text: string; id?: string; name?: string; sealed?: Sealed }> = []
  let open = false
  let usage: Usage = {}
  let finish: string | undefined
  let ends = 0
  for (const event of events) {
    expect(ends).toBe(0)
    switch (event.type) {
      case "open":
        expect(open).toBe(false)
        open = true
        parts.push(
          event.part === "call"
            ? { type: "call", text: "", id: event.id, name: event.name, ...(event.sealed && { sealed: event.sealed }) }
            : { type: event.part, text: "" }
        )
        break
      case "more": {
        expect(open).toBe(true)
        const last = parts.at(-1)
        if (last !== undefined) last.text += event.text
        break
      }
      case "sealed": {
        expect(open).toBe(true)
        const last = parts.at(-1)
        if (last !== undefined) last.sealed = event.sealed
        break
      }
      case "close":
        expect(open).toBe(true)
        open = false
        break
      case "usage":
        usage = { ...usage, ...(JSON.parse(JSON.stringify(event.usage)) as Usage) }
        break
      case "finish":
        finish = event.finish
        break
      case "end":
        ends++
        break
      case "error":
        throw new Error(event.message)
      case "start":
    }
  }
  expect(open).toBe(false)
  return { parts, usage, finish, ends }
}

const usageSaid = (codec: Codec, { cacheRead, input, output, reasoning }: Usage): unknown => ({
  input,
  output,
  cacheRead,
  // Messages do not count it apart.
  ...(codec.shape === "messages" ? {} : { reasoning })
})

const withoutZero = ({ cacheWrite, ...usage }: Usage): unknown =>
  JSON.parse(JSON.stringify({ ...usage, cacheWrite: cacheWrite === 0 ? undefined : cacheWrite }))

describe.each(codecs)("$shape", (codec) => {
  it("says a conversation so that it reads the same", () => {
    fc.assert(
      fc.property(conversation, ({ stop, ...rest }) => {
        const given = stop === undefined || codec.cannot.has("stop") ? rest : { ...rest, stop }
        expect(plain(asked(codec, given))).toEqual(plain(given))
      })
    )
  })

  it("keeps the digits of arguments", () => {
    fc.assert(
      fc.property(jsonObject, (args) => {
        const given: Answer = {
          id: "a",
          model: "m",
          parts: [{ type: "call", id: "call_a_0", name: "look", arguments: args }],
          finish: "calls",
          reason: "",
          usage: {}
        }
        const [call] = codec.readAnswer(sent(codec.writeAnswer(given, options))).parts
        expect(call).toMatchObject({ type: "call", arguments: args })
      })
    )
  })

  it("says an answer so that it reads the same", () => {
    fc.assert(
      fc.property(answer, (given) => {
        const read = codec.readAnswer(sent(codec.writeAnswer(given, options)))
        // Responses have ids for reasoning.
        const parts = read.parts.map((part) => (part.type === "reasoning" ? { ...part, id: undefined } : part))
        expect(JSON.parse(JSON.stringify(parts))).toEqual(given.parts)
        expect([read.id, read.model, read.finish]).toEqual([given.id, given.model, given.finish])
        expect(withoutZero(read.usage)).toEqual(usageSaid(codec, given.usage))
      })
    )
  })

  it("says a stream so that it reads the same", () => {
    fc.assert(
      fc.property(answer, fc.integer({ min: 1, max: 5 }), (given, pieces) => {
        const writer = codec.writer(options)
        const reader = codec.reader()
        const stream = streamOf(given, pieces).map((event) => writer.next(event))
        const read = gathered(itemsOf(stream.join("")).flatMap((item) => reader.next(item)))
        expect(read.parts).toEqual(
          given.parts.map((part) =>
            part.type === "call"
              ? { type: "call", id: part.id, name: part.name, text: part.arguments }
              : part.type === "own"
                ? undefined
                : { type: part.type, text: part.text }
          )
        )
        expect(read.finish).toBe(given.finish)
        expect(withoutZero(read.usage)).toEqual(usageSaid(codec, given.usage))
      })
    )
  })
})
