import * as McpSchema from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
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

/** The progress of a request, under the token that it names. */
export const progressOf = (server: McpServer["Service"], request: McpSchema.McpRequestContext["Service"]): Progress => {
  const progressToken = tokenIn(request.requestMetadata)
  if (progressToken === undefined) return silent
  const notify = server.notifications["notifications/progress"]
  return {
    isWanted: true,
    report: (progress: number, message: string, total?: number) =>
      Effect.ignore(
        Effect.provideService(
          notify({ progressToken, progress, message, ...(total === undefined ? {} : { total }) }),
          McpSchema.McpRequestContext,
          request
        )
      )
  }
}
