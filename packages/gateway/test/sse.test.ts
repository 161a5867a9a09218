import { describe, expect, it } from "@effect/vitest"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import type { Event } from "../src/internal/sse.ts"
import { follow } from "../src/upstream/protocols/follow.ts"
import { sift } from "../src/upstream/protocols/sift.ts"
import { cut, cuts, inThree, joined } from "./protocols/pieces.ts"

const dataOf = ({ bytes, from, isError, to }: Event) =>
  `${isError ? "error:" : ""}${Utf8.decode(bytes.subarray(from, to))}`

/** The rules of the specification, word for word, over the whole text; the end of the text is taken for a blank line. */
const reference = (text: string): ReadonlyArray<string> => {
  const events: Array<string> = []
  let data: Array<string> = []
  let name = ""
  const dispatch = () => {
    if (data.length > 0) events.push(`${name === "error" ? "error:" : ""}${data.join("\n")}`)
    data = []
    name = ""
  }
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/)) {
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? []
    if (line === "") dispatch()
    else if (field === "data") data.push(value)
    else if (field === "event") name = value
  }
  dispatch()
  return events
}

const line = fc.constantFrom(
  "data: a",
  "data:drop",
  "data:  swap 😀",
  "data",
  "data:",
  "data: ünï",
  "dataset: x",
  "event: error",
  "event:error",
  "event: errors",
  "event",
  ": comment",
  ":",
  "id: 7",
  "retry",
  ""
)
const end = fc.constantFrom("\n", "\n", "\r\n", "\r")
const stream = fc
  .tuple(
    fc.constantFrom("", "\ufeff"),
    fc.array(fc.tuple(line, end, fc.constantFrom("", "", "\n", "\r\n", "\r")), { maxLength: 12 }),
    line
  )
  .map(([mark, lines, last]) => mark + lines.map((parts) => parts.join("")).join("") + last)

const followed = (pieces: ReadonlyArray<Uint8Array>, largest?: number) => {
  const events: Array<string> = []
  const watch = follow((event) => events.push(dataOf(event)), largest)
  for (const piece of pieces) expect(watch.pass(piece)).toBe(piece)
  expect(watch.finish()).toHaveLength(0)
  return events
}

const decide = (event: Event) => {
  const data = dataOf(event)
  return data.includes("drop") ? "dropped" : data.includes("swap") ? Utf8.encode("swapped") : "passed"
}
const sifted = (pieces: ReadonlyArray<Uint8Array>, largest?: number) => {
  const watch = sift(decide, largest)
  return joined([...pieces.map(watch.pass), watch.finish()])
}

describe("events that are followed", () => {
  it("are those of the specification, however the bytes are cut", () => {
    fc.assert(
      fc.property(stream, cuts, (text, at) => {
        expect(followed(cut(Utf8.encode(text), at))).toEqual(reference(text))
      }),
      { numRuns: 2_000 }
    )
  })

  it("are seen with the byte that ends them", () => {
    for (const text of ["data: a\n\n", "data: a\r\n\r", "data: a\r\r", "\ufeffdata: a\n\n"]) {
      const events: Array<string> = []
      const watch = follow((event) => events.push(dataOf(event)))
      for (const byte of Utf8.encode(text)) {
        expect(events).toEqual([])
        watch.pass(Uint8Array.of(byte))
      }
      expect(events).toEqual(["a"])
    }
  })

  it("are left alone where they are too large, and seen again after that", () => {
    const text = `data: 1\n\ndata: ${"x".repeat(50)}\n\ndata: 2\n\n`
    for (const pieces of inThree(Utf8.encode(text))) expect(followed(pieces, 40)).toEqual(["1", "2"])
  })
})

describe("events that are sifted", () => {
  const whole = (text: string) => Utf8.decode(sifted([Utf8.encode(text)]))

  it("are the same bytes, however they come", () => {
    fc.assert(
      fc.property(stream, cuts, (text, at) => {
        const bytes = Utf8.encode(text)
        expect(sifted(cut(bytes, at))).toEqual(sifted([bytes]))
      }),
      { numRuns: 2_000 }
    )
  })

  it("are all that is left", () => {
    fc.assert(
      fc.property(stream, (text) => {
        const out = whole(text)
        const expected = reference(text).filter((data) => !data.includes("drop"))
        const isSwapped = (data: string) => data.includes("swap") && !data.includes("\n")
        // An error keeps its name.
        const swapped = (data: string) => (data.startsWith("error:") ? "error:swapped" : "swapped")
        expect(reference(out)).toEqual(expected.map((data) => (isSwapped(data) ? swapped(data) : data)))
      }),
      { numRuns: 2_000 }
    )
  })

  it.each<[string, string]>([
    ["data: a\n\ndata: drop\n\ndata: b\n\n", "data: a\n\ndata: b\n\n"],
    [": hello\ndata: drop\r\n\r\n\n:x\n", ": hello\n\n:x\n"],
    ["id: 1\nevent: error\ndata: swap\nretry\n\n", "id: 1\nevent: error\ndata: swapped\nretry\n\n"],
    ["data: swap\ndata: x\n\n", "data: swap\ndata: x\n\n"],
    ["data: a\n\ndata: drop", "data: a\n\n"]
  ])("%j", (before, after) => {
    expect(whole(before)).toBe(after)
  })

  it("wait only while they are not complete", () => {
    const watch = sift(decide)
    const pass = (text: string) => Utf8.decode(watch.pass(Utf8.encode(text)))
    expect(pass(": a comment\n")).toBe(": a comment\n")
    expect(pass("data: a\n")).toBe("")
    expect(pass("\ndata: b\r\n\r")).toBe("data: a\n\ndata: b\r\n\r")
    expect(pass("\ndata: drop\r\n\r")).toBe("\n")
    expect(pass("\n\ndata")).toBe("\n")
    expect(pass(": drop\n\n")).toBe("")
    expect(pass("\ndata: c")).toBe("\n")
    expect(Utf8.decode(watch.finish())).toBe("data: c")
  })

  it("are the very same piece where nothing changes", () => {
    const watch = sift(decide)
    const piece = Utf8.encode(": x\n\ndata: a\n\ndata: b\r\n\r\n")
    expect(watch.pass(piece)).toBe(piece)
    expect(watch.pass(piece)).toBe(piece)
    expect(watch.finish()).toHaveLength(0)
  })

  it("pass as they are where they are too large, and are held no longer than that", () => {
    const large = `data: drop ${"x".repeat(50)}\n\n`
    const text = `data: a\n\n${large}data: drop\n\ndata: b\n\n`
    for (const pieces of inThree(Utf8.encode(text))) {
      expect(Utf8.decode(sifted(pieces, 40))).toBe(`data: a\n\n${large}data: b\n\n`)
    }
    const watch = sift(decide, 40)
    expect(watch.pass(Utf8.encode(large.slice(0, 40)))).toHaveLength(0)
    expect(watch.pass(Utf8.encode(large.slice(40, 41)))).toHaveLength(41)
    expect(watch.pass(Utf8.encode(large.slice(41, 50)))).toHaveLength(9)
  })
})
