import type { Head, NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Failure, Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { invalid, isOk, kindOf, refused } from "../answer.ts"
import { type Received, sendAuthorized, type SendError } from "../sendAuthorized.ts"
import type { AnswerInvalid } from "../../errors/errors.ts"
import type { Invocation } from "../Invocation.ts"
import type { Written } from "../request.ts"

/** The answer's head and the stream of its body. */
export interface Opened extends Received {
  readonly body: Stream.Stream<Uint8Array, NotCarried>
}

const isEvents = (head: Head): boolean =>
  isOk(head) && /^text\/event-stream\b/i.test(head.headers["content-type"] ?? "")

/**
 * Sends the request and reads the head of the answer. Only this may be retried: of what follows the caller has seen a part.
 */
export const open = Effect.fnUntraced(function* <O extends Operation>(
  invocation: Invocation<O>,
  written: Written
): Effect.fn.Return<Opened, Failure<O> | AnswerInvalid | SendError> {
  const { operation } = invocation
  const incoming = yield* sendAuthorized(invocation, written, isEvents)
  const { body } = incoming
  if (!(body instanceof Uint8Array)) return { ...incoming, body }
  const collected = { ...incoming, body }
  return yield* isOk(incoming)
    ? invalid(operation, collected, `Expected events, the answer is ${kindOf(incoming)}`)
    : refused(operation, collected)
})
