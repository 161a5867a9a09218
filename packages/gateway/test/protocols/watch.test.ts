import { describe, expect, it } from "@effect/vitest"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import type { Stream } from "./streams.ts"
import { cut, cuts, joined } from "./pieces.ts"
import { streams } from "./streams.ts"

const watched = ({ exchange, protocol }: Stream, pieces: ReadonlyArray<Uint8Array>) => {
  const watch = protocol.watch(exchange)
  const passed = joined([...pieces.map(watch.pass), watch.finish()])
  return { passed: Utf8.decode(passed), seen: watch.seen() }
}

describe.each(Object.entries(streams))("%s", (_, stream) => {
  const bytes = Utf8.encode(stream.text)
  const expected = { passed: stream.passed ?? stream.text, seen: stream.seen }

  it("is seen for what it is, and passed on", () => {
    expect(watched(stream, [bytes])).toEqual(expected)
  })

  it("is so however it is cut", () => {
    fc.assert(
      fc.property(cuts, (at) => {
        expect(watched(stream, cut(bytes, at))).toEqual(expected)
      })
    )
    expect(
      watched(
        stream,
        Array.from(bytes, (byte) => Uint8Array.of(byte))
      )
    ).toEqual(expected)
  })

  it("is the very same bytes where nothing is taken out", () => {
    if (stream.passed !== undefined) return
    const watch = stream.protocol.watch(stream.exchange)
    expect(watch.pass(bytes)).toBe(bytes)
    expect(watch.finish()).toHaveLength(0)
  })

  it("loses nothing that was known, wherever it breaks off", () => {
    const watch = stream.protocol.watch(stream.exchange)
    let before = watch.seen()
    expect(before).toEqual({ end: "open", usage: undefined, textBytes: 0 })
    for (const byte of bytes) {
      watch.pass(Uint8Array.of(byte))
      const now = watch.seen()
      expect(now.textBytes).toBeGreaterThanOrEqual(before.textBytes)
      expect(now.usage?.output ?? -1).toBeGreaterThanOrEqual(before.usage?.output ?? -1)
      if (before.end !== "open") expect(now.end).toBe(before.end)
      before = now
    }
    for (let end = 0; end < bytes.length; end += 7) {
      const { passed, seen } = watched(stream, [bytes.slice(0, end)])
      expect(passed.length).toBeLessThanOrEqual(end)
      expect(seen.textBytes).toBeLessThanOrEqual(stream.seen.textBytes)
    }
  })
})
