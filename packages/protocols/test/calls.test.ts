import { describe, expect, it } from "vitest"
import { chat } from "../src/chat/index.ts"
import type { AnswerEvent } from "../src/Conversation.ts"
import { Malformed } from "../src/json.ts"

const call = (index: number | undefined, text: string, id?: string) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { ...(id === undefined ? {} : { name: `tool-${id}` }), arguments: text }
})

const chunk = (...calls: ReadonlyArray<object>) => ({ choices: [{ index: 0, delta: { tool_calls: calls } }] })

const finish = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }

/** The calls of a stream. Fails if one begins before another has ended. */
const callsIn = (chunks: ReadonlyArray<object>) => {
  const reader = chat.reader()
  const calls: Array<[id: string, text: string]> = []
  let open: [id: string, text: string] | undefined
  for (const event of chunks.flatMap((each): ReadonlyArray<AnswerEvent> => reader.next({ ...each }))) {
    if (event.type === "open") {
      expect(open).toBeUndefined()
      open = [event.part === "call" ? event.id : event.part, ""]
    } else if (event.type === "more" && open !== undefined) open[1] += event.text
    else if (event.type === "close" && open !== undefined) {
      calls.push(open)
      open = undefined
    }
  }
  expect(open).toBeUndefined()
  return calls
}

describe("calls of a stream", () => {
  it("that come in turns are given one after the other", () => {
    const chunks = [
      chunk(call(0, "", "a"), call(1, '{"x":', "b")),
      chunk(call(2, "{}", "c")),
      chunk(call(1, '"}')),
      chunk(call(0, '{"y":"\\')),
      chunk(call(0, '"}{"')),
      chunk(call(1, '"}')),
      chunk(call(0, "}")),
      finish
    ]
    expect(callsIn(chunks)).toEqual([
      ["a", '{"y":"\\"}{"}'],
      ["b", '{"x":"}"}'],
      ["c", "{}"]
    ])
  })

  it("without an index are told apart by their place", () => {
    expect(callsIn([chunk(call(undefined, "{}", "a"), call(undefined, '{"x":1}', "b")), finish])).toEqual([
      ["a", "{}"],
      ["b", '{"x":1}']
    ])
  })

  it("that never end are given at the end", () => {
    expect(callsIn([chunk(call(0, "", "a")), chunk(call(1, "{", "b")), finish])).toEqual([
      ["a", ""],
      ["b", "{"]
    ])
  })

  it("of other choices are not of the answer", () => {
    const other = { choices: [{ index: 1, delta: { content: "another", tool_calls: [call(0, "{}", "z")] } }] }
    expect(callsIn([other, chunk(call(0, "{}", "a")), other, finish])).toEqual([["a", "{}"]])
    const whole = [{ index: 1, message: { content: "another" } }, { message: { content: "first" } }]
    expect(chat.readAnswer({ choices: whole }).parts).toEqual([{ type: "text", text: "first" }])
  })

  it("that go on after their end, or wait for more than fits, are refused", () => {
    expect(() => callsIn([chunk(call(0, "{}", "a")), chunk(call(1, "{}", "b")), chunk(call(0, " "))])).toThrow(
      Malformed
    )
    const long = chunk(call(1, "x".repeat(1_000_000)))
    const chunks = [chunk(call(0, "{", "a")), chunk(call(1, "", "b")), ...Array.from({ length: 20 }, () => long)]
    expect(() => callsIn(chunks)).toThrow(Malformed)
  })
})
