import { describe, expect, it } from "@effect/vitest"
import { decode, EventTooLarge, largestEvent, type SseItem } from "../src/events/sse/parser.ts"
import * as Effect from "effect/Effect"
import { makeParser } from "effect/encoding/Sse"
import * as Stream from "effect/Stream"
import fc from "fast-check"

const bytes = (text: string) => new TextEncoder().encode(text)

/** Splits into pieces of these sizes; the rest is one piece. */
const cut = (all: Uint8Array, sizes: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  let at = 0
  for (const size of sizes) {
    pieces.push(all.subarray(at, at + size))
    at += size
  }
  return [...pieces, all.subarray(at)]
}

const items = (pieces: ReadonlyArray<Uint8Array>, most?: number) =>
  Effect.runPromise(Stream.runCollect(decode(Stream.fromIterable(pieces), most)))

const itemsOf = (text: string) => items([bytes(text)])

describe("server-sent events", () => {
  it.each<readonly [what: string, text: string, items: ReadonlyArray<SseItem>]>([
    ["one", "data: a\n\n", [{ data: "a" }]],
    ["a name and an id", "event: e\nid: 7\ndata: a\n\n", [{ event: "e", data: "a", id: "7" }]],
    [
      "an id stays",
      "id: 7\ndata: a\n\ndata: b\n\n",
      [
        { data: "a", id: "7" },
        { data: "b", id: "7" }
      ]
    ],
    ["a name does not", "event: e\ndata: a\n\ndata: b\n\n", [{ event: "e", data: "a" }, { data: "b" }]],
    ["an id with a null is none", "id: 7\0\ndata: a\n\n", [{ data: "a" }]],
    ["several lines", "data: a\ndata:\ndata: b\n\n", [{ data: "a\n\nb" }]],
    ["one space is dropped", "data:  a\n\n", [{ data: " a" }]],
    ["no space is needed", "data:a:b\n\n", [{ data: "a:b" }]],
    ["a field without a colon is empty", "data\n\n", [{ data: "" }]],
    ["a name alone is no event", "event: e\n\ndata: a\n\n", [{ data: "a" }]],
    ["unknown fields and retry", "retry: 5\nfoo: 1\ndata: a\n\n", [{ data: "a" }]],
    ["a comment", ": hi\n\ndata: a\n\n:\n", [{ comment: "hi" }, { data: "a" }, { comment: "" }]],
    ["a byte order mark", "\uFEFFdata: a\n\n", [{ data: "a" }]],
    [
      "a mark in the middle is text",
      "data: a\n\n\uFEFFdata: b\n\ndata: \uFEFFc\n\n",
      [{ data: "a" }, { data: "\uFEFFc" }]
    ],
    ["carriage returns", "data: a\rdata: b\r\rdata: c\r\n\r\n", [{ data: "a\nb" }, { data: "c" }]],
    ["what breaks off is no event", "data: a\n\ndata: b\n", [{ data: "a" }]]
  ])("%s", async (_, text, expected) => {
    expect(await itemsOf(text)).toEqual(expected)
    expect(await items(cut(bytes(text), Array<number>(bytes(text).length).fill(1)))).toEqual(expected)
  })

  it("are the same however the bytes are split", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.constantFrom("data", "data: ", "event: ", "id: ", ": ", ":", "", "retry: 1", "x: "),
            fc.constantFrom("", "a", "é", "€", "😀", "a:b", " ", "\uFEFF"),
            fc.constantFrom("\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\r\r")
          ),
          { maxLength: 30 }
        ),
        fc.array(fc.nat({ max: 4 }), { maxLength: 200 }),
        async (lines, sizes) => {
          const text = lines.map((line) => line.join("")).join("")
          const whole = await itemsOf(text)
          expect(await items(cut(bytes(text), sizes))).toEqual(whole)
          const events: Array<unknown> = []
          const reference = makeParser((event) => {
            if (event._tag === "Event") events.push([event.event, event.data, event.id])
          })
          reference.feed(text)
          const ours = whole.flatMap((item) => ("data" in item ? [[item.event ?? "message", item.data, item.id]] : []))
          expect(ours).toEqual(events)
        }
      ),
      { numRuns: 300 }
    ))

  it.effect("that are too large end the stream, after the events before them", () =>
    Effect.gen(function* () {
      const seen: Array<SseItem> = []
      const error = yield* decode(Stream.make(bytes("data: a\n\ndata: 123456789"), bytes("\n\ndata: b\n\n")), 10).pipe(
        Stream.runForEach((item) => Effect.sync(() => seen.push(item))),
        Effect.flip
      )
      expect(error).toBeInstanceOf(EventTooLarge)
      expect(seen).toEqual([{ data: "a" }])
    })
  )

  it.effect.each([
    ["one line", [`data: ${"x".repeat(20)}`]],
    ["one line that is whole", [`data: ${"x".repeat(20)}\n\n`]],
    ["a comment", [`: ${"x".repeat(20)}`]],
    ["many lines", ["data: xxx\n", "data: xxx\n", "data: xxx\n", "data: xxx\n", "data: xxx\n"]]
  ] as const)("are too large by %s", ([, pieces]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Stream.runDrain(decode(Stream.fromIterable(pieces.map(bytes)), 15)))
      expect(error).toMatchObject({ _tag: "EventTooLarge", most: 15 })
    })
  )

  it.effect("may be as large as eight mebibytes, and many in a row", () =>
    Effect.gen(function* () {
      const large = bytes(`data: ${"x".repeat(largestEvent - 6)}\n\n`)
      const sizes = yield* decode(Stream.make(large, large)).pipe(
        Stream.map((item) => ("data" in item ? item.data.length : 0)),
        Stream.runCollect
      )
      expect(sizes).toEqual([largestEvent - 6, largestEvent - 6])
      const error = yield* Effect.flip(Stream.runDrain(decode(Stream.make(bytes(`data: ${"x".repeat(largestEvent)}`)))))
      expect(error._tag).toBe("EventTooLarge")
    })
  )
})
