import { describe, expect, it } from "@effect/vitest"
import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { exchangeOf } from "../../upstream/protocols/exchange.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import { forward } from "../../../src/call/endings/forward.ts"
import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { StreamMeter, StreamReport } from "../../../src/upstream/Protocol.ts"
import { openai } from "../../../src/upstream/protocols/openai.ts"
import { Scrubber } from "../../../src/upstream/Scrubber.ts"

const exchange = exchangeOf(chatCompletions, "/v1/chat/completions", '{"model":"m"}')

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (chunks: ReadonlyArray<Uint8Array>) => chunks.map((chunk) => new TextDecoder().decode(chunk))

/** The stream is complete after the last chunk. */
const meterUntil = (last: string, finishReason = "none"): StreamMeter => {
  let finished = false
  let state: StreamReport["state"] = "open"
  return {
    push: (chunk) => {
      if (new TextDecoder().decode(chunk) === last) state = "complete"
      if (new TextDecoder().decode(chunk) === finishReason) finished = true
      return chunk
    },
    finish: () => new Uint8Array(0),
    isTooLarge: () => false,
    report: () => ({ state, started: true, finished, usage: undefined, usageFinal: false, textBytes: 0 })
  }
}

const make = (chunks: Stream.Stream<Uint8Array, NotCarried>) => {
  const log: Array<string> = []
  const streaming = {
    status: 200,
    contentType: "text/event-stream",
    eventBytes: 1_000_000,
    headers: {},
    stream: Stream.ensuring(
      chunks,
      Effect.sync(() => log.push("upstream closed"))
    )
  }
  const settle = (end: string): Effect.Effect<Charge> =>
    Effect.sync(() => {
      log.push(end)
      return { state: "settled", micros: 7 }
    })
  return { log, streaming, settle }
}

const words = (...texts: ReadonlyArray<string>) => Stream.fromIterable(texts.map(encode)).pipe(Stream.rechunk(1))

describe("a stream", () => {
  it.effect("is settled once, before its last chunk is sent", () =>
    Effect.gen(function* () {
      const { log, settle, streaming } = make(words("a", "b", "end"))
      const body = yield* forward(exchange, streaming, meterUntil("end"), settle)
      const received: Array<string> = []
      yield* Stream.runForEach(body, (chunk) =>
        Effect.sync(() => received.push(`${decode([chunk]).join("")} after ${log.join(", ")}`))
      )
      expect(received).toEqual(["a after ", "b after ", "end: cost_micros_usd=7 cost_state=settled\n\n after finished"])
      expect(log).toEqual(["finished", "upstream closed"])
    })
  )

  it.effect("has no comment for an SDK that would take it for a broken event", () =>
    Effect.gen(function* () {
      for (const [client, rest] of [
        ["langchain-js/1 genai-js/0.24.1", ""],
        ["google-genai-sdk/3.1.0 gl-node/24", ": cost_micros_usd=7 cost_state=settled\n\n"]
      ] as const) {
        const { settle, streaming } = make(words("end"))
        const request = { ...exchange.request, headers: { "x-goog-api-client": client } }
        const body = yield* forward({ ...exchange, request }, streaming, meterUntil("end"), settle)
        expect(decode(yield* Stream.runCollect(body)).join("")).toBe(`end${rest}`)
      }
    })
  )

  it.effect("holds back only the last of several chunks that arrive together, and forwards those after it", () =>
    Effect.gen(function* () {
      const together = Stream.fromIterable(["a", "b", "end", "c", "d"].map(encode))
      const { log, settle, streaming } = make(together)
      const body = yield* forward(exchange, streaming, meterUntil("end"), settle)
      const received: Array<string> = []
      yield* Stream.runForEachArray(body, (chunks) =>
        Effect.sync(() => received.push(`${decode(chunks).join(" ")} after ${log.join(", ")}`))
      )
      expect(received).toEqual([
        "a b after ",
        "end: cost_micros_usd=7 cost_state=settled\n\n after finished",
        "c d after finished"
      ])
      expect(log).toEqual(["finished", "upstream closed"])
    })
  )

  it.effect("shows no credential in its error events, wherever a chunk ends", () =>
    Effect.gen(function* () {
      const event = (message: string) => `data: {"error":{"message":"${message}"}}\n\n`
      const text = event("bad key the-secret") + event("the-secret is bad")
      const scrubber = new Scrubber(["Bearer the-secret"])
      for (let border = 1; border < text.length; border++) {
        const { settle, streaming } = make(words(text.slice(0, border), text.slice(border)))
        const scrub = (bytes: Uint8Array) => scrubber.bytes(bytes)
        const body = yield* forward(exchange, { ...streaming, scrub }, openai.streamMeter(exchange), settle)
        const shown = decode(yield* Stream.runCollect(body)).join("")
        expect(shown, String(border)).not.toContain("the-secret")
        expect(shown.split("[redacted]"), String(border)).toHaveLength(3)
      }
    })
  )

  const errorOf = (text: string | undefined): unknown => JSON.parse(/^data: (.*)$/m.exec(text ?? "")?.[1] ?? "")

  it.effect("without a last event ends with an error, and is settled before it", () =>
    Effect.gen(function* () {
      const { log, settle, streaming } = make(words("a"))
      const body = yield* forward(exchange, streaming, meterUntil("end"), settle)
      const [first, last] = decode(yield* Stream.runCollect(body))
      expect(first).toBe("a")
      expect(errorOf(last)).toMatchObject({ error: { code: "upstream_failed", request_id: "req_1" } })
      expect(last).toMatch(/\n\n: cost_micros_usd=7 cost_state=settled\n\n$/)
      expect(log).toEqual(["upstream closed", "finished"])
    })
  )

  it.effect.each(["broken", "timeout"] as const)(
    "that breaks off is settled as cut, and ends with an error: %s",
    (why) =>
      Effect.gen(function* () {
        const { log, settle, streaming } = make(Stream.concat(words("a"), Stream.fail(new NotCarried({ why }))))
        const body = yield* forward(exchange, streaming, meterUntil("end"), settle)
        const [, last] = decode(yield* Stream.runCollect(body))
        expect(errorOf(last)).toMatchObject({
          error: { code: why === "broken" ? "upstream_failed" : "upstream_timeout" }
        })
        expect(log).toEqual(["upstream closed", "cut"])
      })
  )

  it.effect("that breaks off in a format without errors breaks off for the caller", () =>
    Effect.gen(function* () {
      const { settle, streaming } = make(Stream.fail(new NotCarried({ why: "broken" })))
      const other = { ...streaming, contentType: "application/x-unknown" }
      const body = yield* forward(exchange, other, meterUntil("end"), settle)
      expect(Exit.isFailure(yield* Effect.exit(Stream.runDrain(body)))).toBe(true)
    })
  )

  it.effect("that breaks off after its last event is complete", () =>
    Effect.gen(function* () {
      const { log, settle, streaming } = make(
        Stream.concat(words("a", "end"), Stream.fail(new NotCarried({ why: "broken" })))
      )
      const body = yield* forward(exchange, streaming, meterUntil("end"), settle)
      expect(decode(yield* Stream.runCollect(body))).toEqual(["a", "end: cost_micros_usd=7 cost_state=settled\n\n"])
      expect(log).toEqual(["finished", "upstream closed"])
    })
  )

  it.live("is settled if the caller leaves, and the upstream is disconnected", () =>
    Effect.gen(function* () {
      const { log, settle, streaming } = make(Stream.concat(words("a"), Stream.never))
      const body = yield* forward(exchange, streaming, meterUntil("end"), settle)
      const read = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(Stream.runForEach(body, () => Deferred.succeed(read, undefined)))
      yield* Deferred.await(read)
      yield* Fiber.interrupt(fiber)
      expect(log).toEqual(["left", "upstream closed"])
    })
  )

  /** A stream that is read up to its finish reason, and then left. What follows it comes from `rest`. */
  const leftAfterFinish = Effect.fnUntraced(function* (rest: Stream.Stream<Uint8Array, NotCarried>) {
    const { log, settle, streaming } = make(Stream.concat(words("a", "finish"), rest))
    const body = yield* forward(exchange, streaming, meterUntil("end", "finish"), settle)
    const read = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkChild(
      Stream.runForEach(body, (chunk) =>
        decode([chunk])[0] === "finish" ? Effect.andThen(Deferred.succeed(read, undefined), Effect.never) : Effect.void
      )
    )
    yield* Deferred.await(read)
    return { log, left: yield* Effect.forkChild(Fiber.interrupt(fiber)) }
  })

  it.effect("that the caller leaves after its finish reason is read to its last event", () =>
    Effect.gen(function* () {
      const { left, log } = yield* leftAfterFinish(words("usage", "end"))
      yield* Fiber.join(left)
      expect(log).toEqual(["finished", "upstream closed"])
    })
  )

  it.effect("that the caller leaves after its finish reason is read for five seconds at most", () =>
    Effect.gen(function* () {
      const { left, log } = yield* leftAfterFinish(Stream.never)
      yield* TestClock.adjust("4999 millis")
      expect(log).toEqual([])
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(left)
      expect(log.toSorted()).toEqual(["left", "upstream closed"])
    })
  )

  it.effect("that the caller leaves after its finish reason is read for 64 KiB at most", () =>
    Effect.gen(function* () {
      let read = 0
      const endless = Stream.fromEffectRepeat(Effect.sync(() => ((read += 1024), new Uint8Array(1024))))
      const { left, log } = yield* leftAfterFinish(Stream.rechunk(endless, 1))
      yield* Fiber.join(left)
      expect(log).toEqual(["left", "upstream closed"])
      expect(read).toBeLessThanOrEqual(66 * 1024)
    })
  )

  it.live("that nobody reads is settled when its request ends, and the upstream is disconnected", () =>
    Effect.gen(function* () {
      const { log, settle, streaming } = make(Stream.never)
      const scope = yield* Scope.make()
      yield* Effect.provideService(forward(exchange, streaming, meterUntil("end"), settle), Scope.Scope, scope)
      yield* Scope.close(scope, Exit.void)
      expect(log).toEqual(["left", "upstream closed"])
    })
  )

  it.effect("ends with an error in place of its last chunk if its charge cannot be recorded", () =>
    Effect.gen(function* () {
      const { streaming } = make(words("a", "end"))
      const failing = () => Effect.fail(refuse("settlement_pending", "not yet"))
      const body = yield* forward(exchange, streaming, meterUntil("end"), failing)
      const [first, last, ...more] = decode(yield* Stream.runCollect(body))
      expect([first, more]).toEqual(["a", []])
      expect(errorOf(last)).toMatchObject({ error: { code: "settlement_pending" } })
    })
  )
})
