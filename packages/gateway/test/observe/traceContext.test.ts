import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { encodeInto, format, parse } from "../../src/observe/trace/TraceContext.ts"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"
const parent = `00-${traceId}-${spanId}-01`

describe("the trace that a caller names", () => {
  it("is read, with its flag", () => {
    assert.deepStrictEqual(parse(parent), { traceId, spanId, sampled: true, state: undefined })
    assert.strictEqual(parse(`00-${traceId}-${spanId}-00`)?.sampled, false)
    assert.strictEqual(parse(`00-${traceId}-${spanId}-03`)?.sampled, true)
  })

  it("is read from a later version, which may have more fields", () => {
    assert.strictEqual(parse(`01-${traceId}-${spanId}-01-more`)?.traceId, traceId)
    assert.strictEqual(parse(`cc-${traceId}-${spanId}-01`)?.traceId, traceId)
  })

  it.each([
    ["missing", undefined],
    ["empty", ""],
    ["sent twice", `${parent}, ${parent}`],
    ["of a forbidden version", `ff-${traceId}-${spanId}-01`],
    ["of version 00 with more fields", `${parent}-more`],
    ["in upper case", parent.toUpperCase()],
    ["of zeros", `00-${"0".repeat(32)}-${spanId}-01`],
    ["of a span of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
    ["too short", parent.slice(0, -1)],
    ["with a space", ` ${parent}`],
    ["with a line break", `${parent}\r\n`],
    ["huge", `01-${traceId}-${spanId}-01-${"a".repeat(100_000)}`]
  ])("is ignored if it is %s", (_, header) => {
    assert.isUndefined(parse(header))
  })

  it("is never misread: what is read can be written again", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)),
        (text) => {
          const read = parse(text)
          if (read !== undefined) assert.deepStrictEqual(parse(format(read)), read)
        }
      )
    )
  })
})

describe("vendors' data of a trace", () => {
  const stateOf = (state: string) => parse(parent, state)?.state

  it("is passed on as sent, without empty members and spaces around them", () => {
    assert.strictEqual(stateOf("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"), "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")
    assert.strictEqual(stateOf("a=1, ,b=2"), "a=1,b=2")
    assert.strictEqual(stateOf("tenant@vendor=x"), "tenant@vendor=x")
  })

  it.each([
    ["is no list of members", "nonsense"],
    ["has two of one name", "a=1,a=2"],
    ["has more than 32 members", Array.from({ length: 33 }, (_, i) => `k${i}=v`).join(",")],
    ["is longer than 512 characters", `a=${"x".repeat(600)}`],
    ["has a line break", "a=1\r\nx-evil: 1"],
    ["is empty", ""]
  ])("is dropped if it %s, and the trace goes on", (_, state) => {
    assert.isUndefined(stateOf(state))
    assert.strictEqual(parse(parent, state)?.traceId, traceId)
  })

  it("is sent with the context, never anything else", () => {
    const headers: Record<string, string> = {}
    encodeInto(headers, { traceId, spanId, sampled: false, state: "a=1" })
    assert.deepStrictEqual(headers, { traceparent: `00-${traceId}-${spanId}-00`, tracestate: "a=1" })
  })
})
