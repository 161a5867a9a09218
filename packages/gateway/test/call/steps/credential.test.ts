import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Fiber from "effect/Fiber"
import { credential } from "../../../src/call/steps/02-credential.ts"
import { CallerLimits } from "../../../src/limits/NameLimit.ts"
import { exchangeOf, principal } from "../builtinExchange.ts"

it.effect("guesses from an address that sent too many look up four keys at once, and the right one passes", () =>
  Effect.gen(function* () {
    const limits = CallerLimits.make()
    const opened = yield* Latch.make()
    let running = 0
    let most = 0
    const find = Effect.fnUntraced(function* (text: string) {
      most = Math.max(most, ++running)
      yield* opened.await
      running--
      return text === "right" ? Option.some(principal) : Option.none()
    })
    const check = credential({ find }, limits)
    const send = Effect.fnUntraced(function* (key: string) {
      const exchange = yield* exchangeOf("/v1/models")
      const request = { ...exchange.request, headers: { authorization: `Bearer ${key}` }, address: () => "203.0.113.7" }
      return yield* Effect.result(check({ ...exchange, request }))
    })
    for (let i = 0; i < 60; i++) limits.wrong.take("203.0.113.7", 0)
    const sent = yield* Effect.forkChild(
      Effect.all([...Array.from({ length: 50 }, (_, i) => send(`wrong-${i}`)), send("right")], {
        concurrency: "unbounded"
      })
    )
    yield* Effect.yieldNow
    yield* opened.open
    const answers = yield* Fiber.join(sent)
    expect(most).toBe(4)
    expect(answers.map(({ _tag }) => _tag).lastIndexOf("Failure")).toBe(49)
    expect(answers.at(-1)).toMatchObject({ success: { principal } })
  })
)
