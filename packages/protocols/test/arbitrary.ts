import * as fc from "fast-check"
import type { Answer, AnswerPart, Conversation, FilePart, Message, TextPart, UserPart } from "../src/Conversation.ts"

// What every protocol can say, in the form in which each of them gives it back.

/** Google decides between texts and JSON by what a result looks like, so its texts are also JSON, or nearly. */
const said = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.constantFrom(
    " ",
    "{}",
    "[]",
    "null",
    "5",
    '{"output":"x"}',
    '{"error":{}}',
    '{"output":{"a":1}}',
    '"a"',
    "\\u0000",
    "data: x\n\nevent: y",
    "\u2028",
    "'",
    "{",
    "🦊"
  )
)

const digits = fc
  .tuple(fc.constantFrom("", "-"), fc.stringMatching(/^[1-9][0-9]{0,25}$/), fc.constantFrom("", ".5", ".10", "e5"))
  .map((parts) => parts.join(""))

const quoted = said.map((text) => JSON.stringify(text))

const value = fc.letrec<{ readonly value: string; readonly object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    digits,
    quoted,
    fc.constantFrom("true", "false", "null", "0", "[]", "{}"),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
    tie("object")
  ),
  object: fc
    .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z$"\\_]{1,8}$/), tie("value")), {
      maxLength: 4,
      selector: ([key]) => key
    })
    .map((fields) => `{${fields.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`)
})).object

/** JSON without spaces, whose numbers a double may not hold. */
export const jsonObject = value

const textPart = said.map((text): TextPart => ({ type: "text", text }))

const image = fc.record({
  type: fc.constant("file" as const),
  mediaType: fc.constantFrom("image/png", "image/jpeg"),
  source: fc.uint8Array({ maxLength: 12 }).map((bytes) => ({ base64: Buffer.from(bytes).toString("base64") }))
})

const schema = fc.constantFrom(
  { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  { type: "object", properties: {} },
  { type: "object", properties: { n: { anyOf: [{ type: "integer" }, { type: "null" }] } }, additionalProperties: false }
)

const tools = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z_]{1,12}$/),
    description: fc.string({ minLength: 1 }),
    parameters: schema
  }),
  { minLength: 1, maxLength: 4, selector: ({ name }) => name }
)

const choice = fc.oneof(
  fc.constantFrom("auto" as const, "none" as const, "required" as const),
  fc.record({ name: fc.constant("look") })
)

interface Turn {
  readonly user: ReadonlyArray<TextPart | FilePart>
  readonly text: TextPart | undefined
  readonly calls: ReadonlyArray<{ readonly name: string; readonly arguments: string; readonly result: string }>
}

const turn: fc.Arbitrary<Turn> = fc.record({
  user: fc.array(fc.oneof(textPart, image), { minLength: 1, maxLength: 3 }),
  text: fc.option(textPart, { nil: undefined }),
  calls: fc.array(
    fc.record({ name: fc.constantFrom("look", "add"), arguments: jsonObject, result: fc.oneof(said, jsonObject) }),
    { maxLength: 3 }
  )
})

/** The ids are those that Google's calls get, which have none. */
const messagesOf = (turns: ReadonlyArray<Turn>, last: TextPart): ReadonlyArray<Message> => {
  let count = 0
  const messages: Array<Message> = []
  for (const { calls, text, user } of turns) {
    const parts: Array<AnswerPart> = text === undefined ? [] : [text]
    const results: Array<UserPart> = []
    for (const call of calls) {
      const id = `call_${count++}`
      parts.push({ type: "call", id, name: call.name, arguments: call.arguments })
      results.push({ type: "result", id, parts: [{ type: "text", text: call.result }] })
    }
    if (parts.length === 0) continue
    messages.push({ role: "user", parts: user }, { role: "assistant", parts })
    if (results.length > 0) {
      messages.push({ role: "user", parts: results }, { role: "assistant", parts: [{ type: "text", text: "ok" }] })
    }
  }
  return [...messages, { role: "user", parts: [last] }]
}

const unit = fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs)

export const conversation: fc.Arbitrary<Conversation> = fc.record(
  {
    model: fc.constant("m"),
    system: fc.array(textPart, { maxLength: 2 }),
    messages: fc.tuple(fc.array(turn, { maxLength: 3 }), textPart).map(([turns, last]) => messagesOf(turns, last)),
    tools,
    toolChoice: choice,
    stop: fc.array(said, { minLength: 1, maxLength: 3 }),
    format: schema.map((schema) => ({ type: "schema" as const, schema })),
    limit: fc.integer({ min: 1, max: 1_000_000 }),
    temperature: unit,
    topP: unit,
    isStream: fc.boolean(),
    own: fc.constant([])
  },
  { requiredKeys: ["model", "system", "messages", "tools", "isStream", "own", "limit"] }
)

const usage = fc
  .record({
    input: fc.nat(),
    output: fc.nat(),
    cacheRead: fc.nat(),
    reasoning: fc.nat()
  })
  .map(({ output, reasoning, ...rest }) => ({ ...rest, output: output + reasoning, reasoning }))

const part: fc.Arbitrary<AnswerPart> = fc.oneof(
  textPart,
  said.map((text): AnswerPart => ({ type: "reasoning", text })),
  fc
    .record({ name: fc.constantFrom("look", "add"), arguments: jsonObject })
    .map((call): AnswerPart => ({ type: "call", id: "", ...call }))
)

/** Reasoning, then text, then calls: the order that chat completions have. */
export const answer: fc.Arbitrary<Answer> = fc
  .record({
    id: fc.stringMatching(/^[a-zA-Z0-9]{1,12}$/),
    model: fc.constant("m"),
    parts: fc.array(part, { maxLength: 5 }),
    finish: fc.constantFrom("stop" as const, "length" as const, "filter" as const),
    usage
  })
  .map(({ parts, ...rest }): Answer => {
    const calls = parts.flatMap((part, i) => (part.type === "call" ? [{ ...part, id: `call_x_${i}` }] : []))
    const finish = rest.finish === "stop" && calls.length > 0 ? "calls" : rest.finish
    const [reasoning] = parts.filter(({ type }) => type === "reasoning")
    const [text] = parts.filter(({ type }) => type === "text")
    return {
      ...rest,
      parts: [...(reasoning === undefined ? [] : [reasoning]), ...(text === undefined ? [] : [text]), ...calls],
      finish,
      reason: finish
    }
  })
