import { type Client, type Options, Policy } from "@tollgate/client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import { json, scripted } from "./scripted.ts"

type Handler = Parameters<typeof scripted>[0]

/** Uses no promise, so that all timing follows the test's clock. */
export const answer =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Handler =>
  (request) =>
    Effect.succeed(
      HttpServerResponse.toClientResponse(
        HttpServerResponse.text(JSON.stringify(body), { status, headers: { ...json, ...headers } }),
        { request }
      )
    )

export const refusal = (status: number, code?: string, headers: Record<string, string> = {}): Handler =>
  answer(status, { error: { message: "No.", ...(code === undefined ? {} : { code }) } }, headers)

/** Handlers in order; the last one repeats. */
export const inOrder = (...handlers: ReadonlyArray<Handler>): Handler => {
  let next = 0
  return (request, url, signal) => handlers[Math.min(next++, handlers.length - 1)]!(request, url, signal)
}

/** Runs a call to its end on the test clock. */
export const attempts = Effect.fnUntraced(function* <A, E>(
  effect: Effect.Effect<A, E, Client>,
  handler: Handler,
  options: Partial<Options> = {}
) {
  const times: Array<number> = []
  const { layer, sent } = scripted(
    (request, url, signal) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        times.push(now)
        return handler(request, url, signal)
      }),
    { retry: Policy.standard, ...options }
  )
  const fiber = yield* Effect.forkChild(Effect.result(effect.pipe(Effect.provide(layer), Random.withSeed("tollgate"))))
  yield* TestClock.adjust("1 hour")
  const result = yield* Fiber.join(fiber)
  const waits = times.slice(1).map((time, i) => time - times[i]!)
  const keys = sent.map(({ request }) => request.headers["idempotency-key"])
  return { result, waits, keys, sent, count: sent.length }
})
