import { describe, expect, it } from "@effect/vitest"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import type { Event } from "../../src/internal/sse.ts"
import { filterEvents, observeEvents } from "../../src/upstream/protocols/filterEvents.ts"
import { cut, cuts, inThree, joined } from "../upstream/protocols/chunks.ts"

const dataOf = ({ bytes, from, isError, to }: Event) =>
  `${isError ? "error:" : ""}${Utf8.decode(bytes.subarray(from, to))}`

/** The specification's algorithm over the whole text. The end of the text counts as a blank line. */
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

const observed = (chunks: ReadonlyArray<Uint8Array>, maxBytes?: number) => {
  const events: Array<string> = []
  const observer = observeEvents((event) => events.push(dataOf(event)), maxBytes)
  const forwarded = joined([...chunks.map(observer.push), observer.finish()])
  return { events, forwarded: Utf8.decode(forwarded), isTooLarge: observer.isTooLarge() }
}

const decide = (event: Event) => {
  const data = dataOf(event)
  return data.includes("drop") ? "drop" : data.includes("swap") ? Utf8.encode("swapped") : "keep"
}
const filtered = (chunks: ReadonlyArray<Uint8Array>, maxBytes?: number) => {
  const observer = filterEvents(decide, maxBytes)
  return joined([...chunks.map(observer.push), observer.finish()])
}

describe("observed events", () => {
  it("are those of the specification, however the bytes are split into chunks", () => {
    fc.assert(
      fc.property(stream, cuts, (text, at) => {
        const { events, forwarded } = observed(cut(Utf8.encode(text), at))
        expect(events).toEqual(reference(text))
        expect(forwarded).toEqual(Utf8.decode(Utf8.encode(text)))
      }),
      { numRuns: 2_000 }
    )
  })

  it("are read with their last byte", () => {
    for (const text of ["data: a\n\n", "data: a\r\n\r", "data: a\r\r", "\ufeffdata: a\n\n"]) {
      const events: Array<string> = []
      const observer = observeEvents((event) => events.push(dataOf(event)))
      for (const byte of Utf8.encode(text)) {
        expect(events).toEqual([])
        observer.push(Uint8Array.of(byte))
      }
      expect(events).toEqual(["a"])
    }
  })

  it("end with the first that is too large", () => {
    const text = `data: 1\n\ndata: ${"x".repeat(50)}\n\n`
    for (const chunks of inThree(Utf8.encode(text))) {
      expect(observed(chunks, 40)).toEqual({ events: ["1"], forwarded: "data: 1\n\n", isTooLarge: true })
    }
    expect(observed([Utf8.encode(text)], 100).isTooLarge).toBe(false)
  })
})

describe("filtered events", () => {
  const whole = (text: string) => Utf8.decode(filtered([Utf8.encode(text)]))

  it("are the same bytes however they are split into chunks", () => {
    fc.assert(
      fc.property(stream, cuts, (text, at) => {
        const bytes = Utf8.encode(text)
        expect(filtered(cut(bytes, at))).toEqual(filtered([bytes]))
      }),
      { numRuns: 2_000 }
    )
  })

  it("are the events that were kept", () => {
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

  it("are held back only while they are incomplete", () => {
    const observer = filterEvents(decide)
    const push = (text: string) => Utf8.decode(observer.push(Utf8.encode(text)))
    expect(push(": a comment\n")).toBe(": a comment\n")
    expect(push("data: a\n")).toBe("")
    expect(push("\ndata: b\r\n\r")).toBe("data: a\n\ndata: b\r\n\r")
    expect(push("\ndata: drop\r\n\r")).toBe("\n")
    expect(push("\n\ndata")).toBe("\n")
    expect(push(": drop\n\n")).toBe("")
    expect(push("\ndata: c")).toBe("\n")
    expect(Utf8.decode(observer.finish())).toBe("data: c")
  })

  it("are forwarded without a copy if nothing changes", () => {
    const observer = filterEvents(decide)
    const chunk = Utf8.encode(": x\n\ndata: a\n\ndata: b\r\n\r\n")
    expect(observer.push(chunk)).toBe(chunk)
    expect(observer.push(chunk)).toBe(chunk)
    expect(observer.finish()).toHaveLength(0)
  })

  it("end with the first that is too large, of which nothing is held or forwarded", () => {
    const large = `data: drop ${"x".repeat(50)}\n\n`
    const text = `data: a\n\ndata: drop\n\n${large}`
    for (const chunks of inThree(Utf8.encode(text))) expect(Utf8.decode(filtered(chunks, 40))).toBe("data: a\n\n")
    const observer = filterEvents(decide, 40)
    expect(observer.push(Utf8.encode(large.slice(0, 40)))).toHaveLength(0)
    expect(observer.isTooLarge()).toBe(false)
    expect(observer.push(Utf8.encode(large.slice(40, 41)))).toHaveLength(0)
    expect(observer.isTooLarge()).toBe(true)
  })
})
