import type { Client, Options } from "@tollgate/client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { answer, refusal } from "./attempts.ts"
import { scripted } from "./scripted.ts"

type Handler = Parameters<typeof scripted>[0]

export const state = "st+4te/="
export const authUrl = (shown = state) =>
  `https://platform.invalid/authorize?a=1&state=${encodeURIComponent(shown)}&b=2`

interface Script {
  /** Extra fields in the answer to the n-th start of a link. */
  readonly session?: (count: number, now: number) => object
  /** Answers a write before the approval. */
  readonly unlinked?: Handler
  readonly linked?: Handler
  readonly options?: Partial<Options>
}

/** A gateway that refuses writes until `approved`. `log` has the time and kind of each request. */
export const gateway = (script: Script = {}) => {
  const it = { approved: false, starts: 0 }
  const log: Array<readonly [at: number, what: "start" | "write" | "show" | "confirm"]> = []
  const note = (what: (typeof log)[number][1]) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      log.push([now, what])
      return now
    })
  const { unlinked = refusal(403, "missing_scope"), linked = answer(200, { following: true }) } = script
  const { layer, sent } = scripted((request, url, signal) => {
    const starting = url.pathname === "/apis/v1/social_a/auth_social_a"
    return Effect.flatMap(note(starting ? "start" : "write"), (now) => {
      if (!starting) return (it.approved ? linked : unlinked)(request, url, signal)
      it.starts++
      const session = script.session?.(it.starts, now) ?? { expires_at: new Date(now + 600_000).toISOString() }
      return answer(200, { auth_url: authUrl(), state, ...session })(request, url, signal)
    })
  }, script.options)
  return { it, log, note, layer, sent, what: () => log.map(([, what]) => what) }
}

/** Runs the call in a fiber, on the test's clock. */
export const forkCall = <A, E>(
  effect: Effect.Effect<A, E, Client>,
  { layer }: Pick<ReturnType<typeof gateway>, "layer">
) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.result(Effect.provide(effect, layer)))
    yield* Effect.yieldNow
    return { fiber, join: Fiber.join(fiber) }
  })
