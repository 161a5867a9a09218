import { chatCompletions, Client, deepResearch, type Options, rerank } from "@tollgate/client"
import { headerNames, type RateLimits } from "@tollgate/contract/RateLimits"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { answer } from "./attempts.ts"
import { question, ranking, scripted } from "./scripted.ts"

export type Handler = Parameters<typeof scripted>[0]

/** A successful answer for every operation used here. */
export const ok = (headers: Record<string, string> = {}): Handler => answer(200, { ...ranking, choices: [] }, headers)

export const limitsHeaders = (limits: RateLimits, date?: string): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [headerNames[name as keyof RateLimits].toLowerCase(), String(value)])
  ),
  ...(date === undefined ? {} : { date })
})

export const ask = {
  rerank: () => rerank(question),
  /** Estimated at exactly this many tokens: the names of the fields count as six. */
  chat: (tokens: number) => chatCompletions({ model: "", messages: [], max_tokens: tokens - 6 }),
  search: () => deepResearch({ max_tokens: 97 })
}

export const options: Partial<Options> = {
  retry: { retries: 0 },
  bindings: { "deep_research.search": { path: "/v1/deep-research" } }
}

/** A client on the test's clock, with the requests it sent and their times. */
export const pacedClient = (pacing: Partial<Options>, handler: Handler = ok()) => {
  const times: Array<number> = []
  const { layer, sent } = scripted(
    (request, url, signal) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        times.push(now)
        return handler(request, url, signal)
      }),
    { ...options, ...pacing }
  )
  const fork = <A, E>(call: Effect.Effect<A, E, Client>) =>
    Effect.forkChild(Effect.result(Effect.provide(call, layer)), { startImmediately: true })
  return { layer, sent, times, fork, paths: () => sent.map(({ url }) => url.pathname) }
}

/** Runs the calls concurrently to their end. */
export const runAll = Effect.fnUntraced(function* <A, E>(
  client: ReturnType<typeof pacedClient>,
  calls: ReadonlyArray<Effect.Effect<A, E, Client>>
) {
  const fibers = yield* Effect.forEach(calls, client.fork)
  yield* TestClock.adjust("2 hours")
  return yield* Effect.forEach(fibers, Fiber.join)
})

export const times = <A>(count: number, make: () => A): Array<A> => Array.from({ length: count }, make)
