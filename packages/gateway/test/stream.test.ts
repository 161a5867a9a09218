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
import { stream } from "../src/steps/14-stream.ts"
import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Seen, Watch } from "../src/upstream/Protocol.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (pieces: ReadonlyArray<Uint8Array>) => pieces.map((piece) => new TextDecoder().decode(piece))

/** Complete when the last piece has passed. */
const watching = (last: string): Watch => {
  let end: Seen["end"] = "open"
  return {
    pass: (piece) => {
      if (new TextDecoder().decode(piece) === last) end = "complete"
      return piece
    },
    finish: () => new Uint8Array(0),
    seen: () => ({ end, usage: undefined, textBytes: 0 })
  }
}

const make = (pieces: Stream.Stream<Uint8Array, NotCarried>) => {
  const happened: Array<string> = []
  const streaming = {
    status: 200,
    contentType: "text/event-stream",
    headers: {},
    stream: Stream.ensuring(
      pieces,
      Effect.sync(() => happened.push("upstream closed"))
    )
  }
  const settle = (end: string): Effect.Effect<Charge> =>
    Effect.sync(() => {
      happened.push(end)
      return { state: "settled", micros: micro(7n) }
    })
  return { happened, streaming, settle }
}

const words = (...texts: ReadonlyArray<string>) => Stream.fromIterable(texts.map(encode)).pipe(Stream.rechunk(1))

describe("a stream", () => {
  it.effect("is settled before its last piece goes out, and once", () =>
    Effect.gen(function* () {
      const { happened, settle, streaming } = make(words("a", "b", "end"))
      const body = yield* stream(streaming, watching("end"), settle)
      const seen: Array<string> = []
      yield* Stream.runForEach(body, (piece) =>
        Effect.sync(() => seen.push(`${decode([piece]).join("")} after ${happened.join(", ")}`))
      )
      expect(seen).toEqual(["a after ", "b after ", "end: cost_micros_usd=7 cost_state=settled\n\n after finished"])
      expect(happened).toEqual(["finished", "upstream closed"])
    })
  )

  it.effect("whose pieces come together does not keep the first ones back with the last, and loses none after it", () =>
    Effect.gen(function* () {
      const together = Stream.fromIterable(["a", "b", "end", "c", "d"].map(encode))
      const { happened, settle, streaming } = make(together)
      const body = yield* stream(streaming, watching("end"), settle)
      const seen: Array<string> = []
      yield* Stream.runForEachArray(body, (pieces) =>
        Effect.sync(() => seen.push(`${decode(pieces).join(" ")} after ${happened.join(", ")}`))
      )
      expect(seen).toEqual([
        "a b after ",
        "end: cost_micros_usd=7 cost_state=settled\n\n after finished",
        "c d after finished"
      ])
      expect(happened).toEqual(["finished", "upstream closed"])
    })
  )

  it.effect("that ends without its last event is settled at its end", () =>
    Effect.gen(function* () {
      const { happened, settle, streaming } = make(words("a"))
      const body = yield* stream(streaming, watching("end"), settle)
      expect(decode(yield* Stream.runCollect(body))).toEqual(["a", ": cost_micros_usd=7 cost_state=settled\n\n"])
      expect(happened).toEqual(["upstream closed", "finished"])
    })
  )

  it.effect("that breaks off is settled as cut, and breaks off for the caller", () =>
    Effect.gen(function* () {
      const { happened, settle, streaming } = make(
        Stream.concat(words("a"), Stream.fail(new NotCarried({ why: "broken" })))
      )
      const body = yield* stream(streaming, watching("end"), settle)
      const exit = yield* Effect.exit(Stream.runDrain(body))
      expect(Exit.isFailure(exit)).toBe(true)
      expect(happened.filter((what) => what === "cut")).toEqual(["cut"])
    })
  )

  it.live("that the caller leaves is settled as cut, and the upstream is left too", () =>
    Effect.gen(function* () {
      const { happened, settle, streaming } = make(Stream.concat(words("a"), Stream.never))
      const body = yield* stream(streaming, watching("end"), settle)
      const read = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(Stream.runForEach(body, () => Deferred.succeed(read, undefined)))
      yield* Deferred.await(read)
      yield* Fiber.interrupt(fiber)
      expect(happened.toSorted()).toEqual(["cut", "upstream closed"])
    })
  )

  it.live("that nobody reads is settled as cut when its request ends, and the upstream is left", () =>
    Effect.gen(function* () {
      const { happened, settle, streaming } = make(Stream.never)
      const scope = yield* Scope.make()
      yield* Effect.provideService(stream(streaming, watching("end"), settle), Scope.Scope, scope)
      yield* Scope.close(scope, Exit.void)
      expect(happened).toEqual(["cut", "upstream closed"])
    })
  )

  it.effect("whose charge cannot be recorded does not end well for the caller", () =>
    Effect.gen(function* () {
      const { streaming } = make(words("a", "end"))
      const failing = () => Effect.fail(refuse("settlement_pending", "not yet"))
      const body = yield* stream(streaming, watching("end"), failing)
      const seen: Array<string> = []
      const exit = yield* Effect.exit(
        Stream.runForEach(body, (piece) => Effect.sync(() => seen.push(...decode([piece]))))
      )
      expect([Exit.isFailure(exit), seen]).toEqual([true, ["a"]])
    })
  )
})
