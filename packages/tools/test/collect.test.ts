import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { StreamReply } from "@tollgate/gateway/exchange/Reply"
import { collect, longest } from "../src/collect.ts"
import { silent } from "../src/Caller.ts"

const charge = { state: "pending" } as const

/** A stream that does not end, and whether it was closed. */
const endless = (piece: Uint8Array) => {
  let isClosed = false
  const reply: Pick<StreamReply, "body" | "charge" | "head"> = {
    body: Stream.ensuring(
      Stream.forever(Stream.succeed(piece)),
      Effect.sync(() => (isClosed = true))
    ),
    charge,
    head: { status: 200, contentType: "text/event-stream", headers: {} }
  }
  return { reply: reply as StreamReply, isClosed: () => isClosed }
}

describe("a stream that never ends is left", () => {
  it.effect("after so many bytes, of which it keeps few", () =>
    Effect.gen(function* () {
      const { isClosed, reply } = endless(new Uint8Array(1024 * 1024).fill(32))
      const collected = yield* collect(reply, silent)
      expect(collected).toMatchObject({ isLeft: true, charge, refused: undefined })
      expect(collected.received).toBeGreaterThan(longest)
      expect(collected.received).toBeLessThan(2 * longest)
      expect(collected.bytes.length).toBeLessThanOrEqual(1024 * 1024)
      expect(isClosed()).toBe(true)
    })
  )
})
