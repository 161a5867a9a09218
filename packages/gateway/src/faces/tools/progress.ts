import * as Effect from "effect/Effect"
import type * as Cause from "effect/Cause"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Reply } from "../../exchange/Reply.ts"
import type { Progress as Reported } from "../../exchange/Exchange.ts"
import type { Caller } from "./Caller.ts"
import { type Call, run, type Terms } from "./pipeline.ts"

/** Of progress that the client is too slow for, the latest is kept. */
const mostWaiting = 64

/** Makes a call, and tells the client what the upstream reports of its progress before the client gets the answer. */
export const runWithProgress = (
  caller: Caller,
  call: Call,
  terms: Terms,
  progress: Progress
): Effect.Effect<Reply, never, Scope> =>
  progress.isWanted ? telling(caller, call, terms, progress) : run(caller, call, terms)

const telling = Effect.fnUntraced(function* (caller: Caller, call: Call, terms: Terms, progress: Progress) {
  const reports = yield* Queue.make<Reported, Cause.Done>({ capacity: mostWaiting, strategy: "sliding" })
  const told = yield* Effect.forkChild(
    Stream.runForEach(Stream.fromQueue(reports), ({ message = "", progress: done, total }) =>
      progress.report(done, message, total)
    )
  )
  const reply = yield* run(caller, call, terms, (report) => void Queue.offerUnsafe(reports, report))
  yield* Queue.end(reports)
  yield* Fiber.join(told)
  return reply
})

/** Tells the client how far a call is. Does nothing if the client did not ask for it. */
export interface Progress {
  readonly isWanted: boolean
  /** `done` grows from report to report. */
  readonly report: (done: number, message: string, total?: number) => Effect.Effect<void>
}

export const silent: Progress = { isWanted: false, report: () => Effect.void }

export const tokenIn = (metadata: unknown): string | number | undefined => {
  if (typeof metadata !== "object" || metadata === null || !("progressToken" in metadata)) return undefined
  const { progressToken } = metadata
  return typeof progressToken === "string" || typeof progressToken === "number" ? progressToken : undefined
}

/** Sends a message to the client while its call runs. */
export type Send = (message: object) => Effect.Effect<void>

/** The progress of a call, under the token that its message names. */
export const progressTo = (send: Send | undefined, metadata: unknown): Progress => {
  const progressToken = tokenIn(metadata)
  if (send === undefined || progressToken === undefined) return silent
  return {
    isWanted: true,
    report: (progress, message, total) =>
      send({
        method: "notifications/progress",
        params: { progressToken, progress, ...(total === undefined ? {} : { total }), message }
      })
  }
}
