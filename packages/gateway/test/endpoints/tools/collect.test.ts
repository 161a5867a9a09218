import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { StreamReply } from "../../../src/exchange/Reply.ts"
import { collect, longest } from "../../../src/endpoints/tools/collect.ts"
import { silent } from "../../../src/endpoints/tools/Caller.ts"

const charge = { state: "pending" } as const

/** A stream that does not end, and whether it was closed. */
const endless = (piece: Uint8Array, pause?: "1 minute") => {
  let isClosed = false
  const pieces = Stream.forever(Stream.succeed(piece))
  const body = pause === undefined ? pieces : Stream.schedule(pieces, Schedule.spaced(pause))
  const reply: Pick<StreamReply, "body" | "charge" | "head"> = {
    body: Stream.ensuring(
      body,
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
      expect(collected.received).toBeGreaterThan(longest.bytes)
      expect(collected.received).toBeLessThan(2 * longest.bytes)
      expect(collected.bytes.length).toBeLessThanOrEqual(1024 * 1024)
      expect(isClosed()).toBe(true)
    })
  )

  it.effect("after so long", () =>
    Effect.gen(function* () {
      const { isClosed, reply } = endless(new TextEncoder().encode("data: {}\n\n"), "1 minute")
      const fiber = yield* Effect.forkChild(collect(reply, silent))
      yield* TestClock.adjust(longest.millis)
      expect(isClosed()).toBe(false)
      yield* TestClock.adjust("2 minutes")
      expect((yield* Fiber.join(fiber)).isLeft).toBe(true)
      expect(isClosed()).toBe(true)
    })
  )
})
