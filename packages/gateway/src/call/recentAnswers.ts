import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import { codes } from "@tollgate/contract/errors/codes"
import { isWorthRepeating } from "@tollgate/contract/errors/encode"
import type { Refused } from "@tollgate/contract/errors/Refused"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { Accepted, Routed } from "../exchange/Exchange.ts"
import type { Reply } from "../exchange/Reply.ts"
import { attemptCount, refusalName, retryCount } from "../cache/requests.ts"
import { RecentAnswers } from "../cache/RecentAnswers.ts"
import { numberEvents } from "../cache/numberEvents.ts"
import type { Recording } from "../cache/Recording.ts"
import { isEvents } from "./endings/brokenStream.ts"
import type { Ending } from "./Ending.ts"

/** Whether an SDK sends the request again, and nothing was executed. */
const isRepeated = (cause: Cause.Cause<Refused>): boolean => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return error !== undefined && isWorthRepeating(error.refusal) && codes[error.refusal.code].outcome === "not executed"
}

/** The scope of a request whose stream may go on without it. */
interface OwnScope {
  readonly scope: Scope.Closeable
  recording: Recording<unknown> | undefined
}

/**
 * What the path does with calls of SDKs that count their attempts, and with streams that can be resumed. `undefined`: the gateway
 * holds no answers.
 */
export const make = Effect.fnUntraced(function* (names: Names) {
  const held = Option.getOrUndefined(yield* Effect.serviceOption(RecentAnswers))
  if (held === undefined) return undefined
  const resumable = Headers.resumable.key(names)
  const scopes = new Map<string, OwnScope>()

  /** A repeat is a call of its own only if the attempt before it was refused too. Else it is the earlier call again. */
  const note = (routed: Routed, cause: Cause.Cause<Refused>): void => {
    const count = attemptCount(routed)
    if (count === undefined || !isRepeated(cause)) return
    const isNew = count === 0 || held.takeRefused(refusalName(routed, count - 1))
    if (isNew) held.refused(refusalName(routed, count))
  }

  /** Only events can be resumed. A whole answer is stored under its key. */
  const numbered = (reply: Reply): Reply => {
    if (reply.kind !== "stream" || !isEvents.test(reply.head.contentType ?? "")) return reply
    const headers = { ...reply.head.headers, [Headers.resumable(names)]: reply.exchange.requestId }
    return { ...reply, head: { ...reply.head, headers }, body: numberEvents(reply.body) }
  }

  /** Holds the answer of a call that was executed. A stream is recorded while it is sent. */
  const ended = (ending: Ending): Effect.Effect<Ending> => {
    const { exchange } = ending.reply
    const call = exchange.requestId
    if (!held.isRunning(call)) return Effect.succeed(ending)
    const reply = held.isResumable(call) ? numbered(ending.reply) : ending.reply
    if (reply === ending.reply && held.isResumable(call)) {
      held.forget(call)
      return Effect.succeed(ending)
    }
    if (reply.kind === "whole" && reply.charge.state !== "none" && reply.charge.state !== "unknown") {
      held.hold(call, reply.answer)
      return Effect.succeed(ending)
    }
    const own = scopes.get(call)
    if (reply.kind !== "stream" || own === undefined) {
      held.forget(call)
      return Effect.succeed(ending)
    }
    return Effect.map(held.record(call, reply, own.scope), (recording) => {
      own.recording = recording
      return { ...ending, reply: { ...reply, body: recording.read() } }
    })
  }

  return {
    /** Whether a request may be repeated by its SDK, or resumed. The others are asked for the first of them only. */
    isHeld: ({ request: { headers } }: Accepted) =>
      headers[retryCount] !== undefined || headers[resumable] !== undefined,
    ended,
    /** Remembers a refusal that the SDK will answer by a repeat. */
    failed: (routed: Routed, cause: Cause.Cause<Refused>): void => {
      if (held.has(routed.requestId)) held.forget(routed.requestId)
      else note(routed, cause)
    },
    /** Runs the path in a scope that a stream may keep after its caller has left. */
    run: ({ requestId }: Accepted, reply: Effect.Effect<Reply, never, Scope.Scope>) =>
      Effect.suspend(() => {
        const own: OwnScope = { scope: Scope.makeUnsafe(), recording: undefined }
        scopes.set(requestId, own)
        const finish = Effect.suspend(() => {
          scopes.delete(requestId)
          return own.recording?.release ?? Scope.close(own.scope, Exit.void)
        })
        return Effect.andThen(
          Effect.addFinalizer(() => finish),
          Scope.provide(reply, own.scope)
        )
      })
  }
})

export type Holding = NonNullable<Effect.Success<ReturnType<typeof make>>>
