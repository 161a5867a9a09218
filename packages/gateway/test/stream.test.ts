import { describe, expect, it } from "@effect/vitest"
import type { Charge } from "@tollgate/contract/Outcome"
import { micro } from "@tollgate/contract/Money"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { refuse } from "../src/Refused.ts"
import { forward } from "../src/endings/forward.ts"
import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { StreamMeter, StreamReport } from "../src/upstream/Protocol.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (chunks: ReadonlyArray<Uint8Array>) => chunks.map((chunk) => new TextDecoder().decode(chunk))

/** The stream is complete after the last chunk. */
const meterUntil = (last: string): StreamMeter => {
  let state: StreamReport["state"] = "open"
  return {
    push: (chunk) => {
      if (new TextDecoder().decode(chunk) === last) state = "complete"
      return chunk
    },
    finish: () => new Uint8Array(0),
    report: () => ({ state, started: true, finished: false, usage: undefined, usageFinal: false, textBytes: 0 })
  }
}

const make = (chunks: Stream.Stream<Uint8Array, NotCarried>) => {
  const log: Array<string> = []
  const streaming = {
    status: 200,
    contentType: "text/event-stream",
    headers: {},
    stream: Stream.ensuring(
      chunks,
      Effect.sync(() => log.push("upstream closed"))
    )
  }
  const settle = (end: string): Effect.Effect<Charge> =>
    Effect.sync(() => {
      log.push(end)
      return { state: "settled", micros: micro(7n) }
    })
  return { log, streaming, settle }
}

const words = (...texts: ReadonlyArray<string>) => Stream.fromIterable(texts.map(encode)).pipe(Stream.rechunk(1))

describe("a stream", () => {
  it.effect("is settled once, before its last chunk is sent", () =>
    Effect.gen(function* () {
      const { log, settle, streaming } = make(words("a", "b", "end"))
      const body = yield* forward(streaming, meterUntil("end"), settle)
      const received: Array<string> = []
      yield* Stream.runForEach(body, (chunk) =>
        Effect.sync(() => received.push(`${decode([chunk]).join("")} after ${log.join(", ")}`))
      )
      expect(received).toEqual(["a after ", "b after ", "end: cost_micros_usd=7 cost_state=settled\n\n after finished"])
      expect(log).toEqual(["finished", "upstream closed"])
    })
  )

  it.effect("holds back only the last of several chunks that arrive together, and forwards those after it", () =>
    Effect.gen(function* () {
      const together = Stream.fromIterable(["a", "b", "end", "c", "d"].map(encode))
      const { log, settle, streaming } = make(together)
      const body = yield* forward(streaming, meterUntil("end"), settle)
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

  it.effect("without a last event is settled when the upstream ends", () =>
    Effect.gen(function* () {
      const { log, settle, streaming } = make(words("a"))
      const body = yield* forward(streaming, meterUntil("end"), settle)
      expect(decode(yield* Stream.runCollect(body))).toEqual(["a", ": cost_micros_usd=7 cost_state=settled\n\n"])
      expect(log).toEqual(["upstream closed", "finished"])
    })
  )

  it.effect("that breaks off is settled as cut, and breaks off for the caller", () =>
    Effect.gen(function* () {
      const { log, settle, streaming } = make(Stream.concat(words("a"), Stream.fail(new NotCarried({ why: "broken" }))))
      const body = yield* forward(streaming, meterUntil("end"), settle)
      const exit = yield* Effect.exit(Stream.runDrain(body))
      expect(Exit.isFailure(exit)).toBe(true)
      expect(log.filter((entry) => entry === "cut")).toEqual(["cut"])
    })
  )

  it.live("is settled as cut if the caller leaves, and the upstream is disconnected", () =>
    Effect.gen(function* () {
      const { log, settle, streaming } = make(Stream.concat(words("a"), Stream.never))
      const body = yield* forward(streaming, meterUntil("end"), settle)
      const read = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(Stream.runForEach(body, () => Deferred.succeed(read, undefined)))
      yield* Deferred.await(read)
      yield* Fiber.interrupt(fiber)
      expect(log.toSorted()).toEqual(["cut", "upstream closed"])
    })
  )

  it.live("that nobody reads is settled as cut when its request ends, and the upstream is disconnected", () =>
    Effect.gen(function* () {
      const { log, settle, streaming } = make(Stream.never)
      const scope = yield* Scope.make()
      yield* Effect.provideService(forward(streaming, meterUntil("end"), settle), Scope.Scope, scope)
      yield* Scope.close(scope, Exit.void)
      expect(log).toEqual(["cut", "upstream closed"])
    })
  )

  it.effect("fails for the caller if its charge cannot be recorded", () =>
    Effect.gen(function* () {
      const { streaming } = make(words("a", "end"))
      const failing = () => Effect.fail(refuse("settlement_pending", "not yet"))
      const body = yield* forward(streaming, meterUntil("end"), failing)
      const received: Array<string> = []
      const exit = yield* Effect.exit(
        Stream.runForEach(body, (chunk) => Effect.sync(() => received.push(...decode([chunk]))))
      )
      expect([Exit.isFailure(exit), received]).toEqual([true, ["a"]])
    })
  )
})
