import { describe, expect, it } from "@effect/vitest"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import type { StreamMeter } from "../../../src/upstream/Protocol.ts"
import { type Stream, streams } from "./streams.ts"
import { cut, cuts, joined } from "./chunks.ts"

/** Who serves it has tests of its own: `usage/invoice.test.ts`. */
const reportOf = (meter: StreamMeter) => {
  const { served: _, ...report } = meter.report()
  return report
}

const metered = ({ exchange, protocol }: Stream, chunks: ReadonlyArray<Uint8Array>) => {
  const meter = protocol.streamMeter(exchange)
  const forwarded = joined([...chunks.map(meter.push), meter.finish()])
  return { forwarded: Utf8.decode(forwarded), report: reportOf(meter) }
}

describe.each(Object.entries(streams))("%s", (_, stream) => {
  const bytes = Utf8.encode(stream.text)
  const expected = { forwarded: stream.forwarded ?? stream.text, report: stream.report }

  it("is metered and forwarded", () => {
    expect(metered(stream, [bytes])).toEqual(expected)
  })

  it("is metered the same however it is split into chunks", () => {
    fc.assert(
      fc.property(cuts, (at) => {
        expect(metered(stream, cut(bytes, at))).toEqual(expected)
      })
    )
    expect(
      metered(
        stream,
        Array.from(bytes, (byte) => Uint8Array.of(byte))
      )
    ).toEqual(expected)
  })

  it("is forwarded without a copy if nothing is removed", () => {
    if (stream.forwarded !== undefined) return
    const meter = stream.protocol.streamMeter(stream.exchange)
    expect(meter.push(bytes)).toBe(bytes)
    expect(meter.finish()).toHaveLength(0)
  })

  it("keeps what was reported, wherever the stream breaks off", () => {
    const meter = stream.protocol.streamMeter(stream.exchange)
    let before = reportOf(meter)
    expect(before).toEqual({
      state: "open",
      started: false,
      finished: false,
      usage: undefined,
      usageFinal: false,
      textBytes: 0
    })
    for (const byte of bytes) {
      meter.push(Uint8Array.of(byte))
      const now = reportOf(meter)
      expect(now.textBytes).toBeGreaterThanOrEqual(before.textBytes)
      expect(now.usage?.output ?? -1).toBeGreaterThanOrEqual(before.usage?.output ?? -1)
      if (before.state !== "open") expect(now.state).toBe(before.state)
      before = now
    }
    for (let end = 0; end < bytes.length; end += 7) {
      const { forwarded, report } = metered(stream, [bytes.slice(0, end)])
      expect(forwarded.length).toBeLessThanOrEqual(end)
      expect(report.textBytes).toBeLessThanOrEqual(stream.report.textBytes)
    }
  })
})
