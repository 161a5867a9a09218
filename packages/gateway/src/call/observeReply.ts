import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Reply } from "../exchange/Reply.ts"
import type { ObservedCall } from "../observe/ObservedCall.ts"

const ofReply = (observed: ObservedCall, reply: Reply): void => {
  switch (reply.kind) {
    case "whole":
      return observed.end({ kind: "answered", status: reply.answer.status, charge: reply.charge, streamed: false })
    case "refused":
      return observed.end({ kind: "refused", refused: reply.refused })
    case "stream":
      // Ends in `observeStream`.
      return
  }
}

/** Every reply passes here once. A path without a reply is one whose caller left. */
export const observeReply = <R>(
  observed: ObservedCall,
  reply: Effect.Effect<Reply, never, R>
): Effect.Effect<Reply, never, R> =>
  Effect.onExit(reply, (exit) => {
    if (Exit.isSuccess(exit)) ofReply(observed, exit.value)
    else observed.end({ kind: "left" })
    return Effect.void
  })
