import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Reply } from "../../exchange/Reply.ts"
import type { Progress as Reported } from "../../exchange/Exchange.ts"
import type { Caller } from "./Caller.ts"
import { type Call, run, type Terms } from "./pipeline.ts"
import type { Progress } from "./progress.ts"

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
