import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import { describe } from "vitest"
import { Span } from "../../src/observe/trace/Span.ts"

interface Field {
  readonly number: number
  readonly value: bigint | Buffer
}

/** Reads one message of protobuf's wire format, as a collector does. */
const fieldsOf = (bytes: Buffer): ReadonlyArray<Field> => {
  const fields: Array<Field> = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const type = tag & 7
    const length = type === 2 ? Number(varint()) : 8
    const number = tag >> 3
    if (type === 0) fields.push({ number, value: varint() })
    else {
      const part = bytes.subarray(at, at + length)
      at += length
      fields.push({ number, value: type === 2 ? part : part.readBigUInt64LE() })
    }
  }
  return fields
}

const under = (bytes: Buffer, ...path: ReadonlyArray<number>): Buffer =>
  path.reduce((message, number) => {
    const found = fieldsOf(message).find((field) => field.number === number)?.value
    return Buffer.isBuffer(found) ? found : Buffer.alloc(0)
  }, bytes)

const encoded = (span: Span) =>
  Effect.map(OtlpSerialization.OtlpSerialization, ({ traces }) => {
    const resource = { attributes: [], droppedAttributesCount: 0 }
    const body = traces({
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "t" }, spans: [span.toOtlp()] }] }]
    })
    // Resource spans, scope spans, span.
    return under(Buffer.from(body._tag === "Uint8Array" ? body.body : []), 1, 2, 2)
  }).pipe(Effect.provide(OtlpSerialization.layerProtobuf))

const parent = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", state: "a=1" }

describe("a span in protobuf", () => {
  it.effect("has its ids, times, status and exact amounts", () =>
    Effect.gen(function* () {
      const span = new Span("chat.completions", "server", 1_700_000_000_000_000_001n, parent)
      span.set("tollgate.charge", 9_007_199_254_740_993n)
      span.fail("upstream_failed")
      span.end(1_700_000_000_000_000_009n)
      const bytes = yield* encoded(span)
      assert.strictEqual(under(bytes, 1).toString("hex"), parent.traceId)
      assert.strictEqual(under(bytes, 2).toString("hex"), span.spanId)
      assert.strictEqual(under(bytes, 3).toString(), "a=1")
      assert.strictEqual(under(bytes, 4).toString("hex"), parent.spanId)
      assert.strictEqual(under(bytes, 5).toString(), "chat.completions")
      const value = (number: number, message = bytes) =>
        fieldsOf(message).find((field) => field.number === number)?.value
      assert.deepStrictEqual(
        [value(6), value(7), value(8)],
        [2n, 1_700_000_000_000_000_001n, 1_700_000_000_000_000_009n]
      )
      assert.strictEqual(under(bytes, 9, 1).toString(), "tollgate.charge")
      assert.strictEqual(value(3, under(bytes, 9, 2)), 9_007_199_254_740_993n)
      assert.strictEqual(value(3, under(bytes, 15)), 2n)
      assert.strictEqual(under(bytes, 15, 2).toString(), "upstream_failed")
    })
  )

  it.effect("has no parent if the trace begins with it, and text is cut without breaking a character", () =>
    Effect.gen(function* () {
      const span = new Span("x", "internal", 1n)
      span.set("text", `${"x".repeat(255)}😀`)
      span.end(0n)
      const bytes = yield* encoded(span)
      assert.lengthOf(under(bytes, 4), 0)
      assert.strictEqual(under(bytes, 9, 2, 1).toString(), `${"x".repeat(255)}\ufffd`)
      assert.strictEqual(fieldsOf(bytes).find(({ number }) => number === 8)?.value, 1n)
    })
  )
})
