import type { Head, NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Bound, Failure, Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { invalid, isOk, kindOf, refused } from "../answer.ts"
import { sendAuthorized, type SendError } from "../sendAuthorized.ts"
import type { Client } from "../Client.ts"
import type { AnswerInvalid } from "../errors.ts"
import type { Written } from "../request.ts"

/** The answer's head and the stream of its body. */
export interface Opened extends Head {
  readonly body: Stream.Stream<Uint8Array, NotCarried>
}

const isEvents = (head: Head): boolean =>
  isOk(head) && /^text\/event-stream\b/i.test(head.headers["content-type"] ?? "")

/** `stream/limits.ts` sets the limits instead, since it knows the stream's progress. */
const unlimited = 2 ** 31 - 1

/**
 * Sends the request and reads the head of the answer. Only this may be retried: of what follows the caller has seen a part.
 */
export const open = Effect.fnUntraced(function* <O extends Operation>(
  client: Client["Service"],
  operation: Bound<O>,
  written: Written
): Effect.fn.Return<Opened, Failure<O> | AnswerInvalid | SendError> {
  const options = { deadlineMillis: unlimited, idleMillis: unlimited, isStreamed: isEvents }
  const incoming = yield* sendAuthorized(client, operation, written, options)
  const { body } = incoming
  if (!(body instanceof Uint8Array)) return { ...incoming, body }
  const collected = { ...incoming, body }
  return yield* isOk(incoming)
    ? invalid(operation, collected, `Expected events, the answer is ${kindOf(incoming)}`)
    : refused(operation, collected)
})
