import type { Head, NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as ApiError from "@tollgate/contract/errors/ApiError"
import { decode } from "@tollgate/contract/errors/decode"
import type { Bound, Failure, Operation } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { carry, type CarryError } from "../carry.ts"
import type { Client } from "../Client.ts"
import { AnswerInvalid } from "../errors.ts"
import type { Written } from "../request.ts"

/** The answer's head, and what follows it. */
export interface Opened extends Head {
  readonly body: Stream.Stream<Uint8Array, NotCarried>
}

const isOk = ({ status }: Head): boolean => status >= 200 && status < 300

const isEvents = (head: Head): boolean =>
  isOk(head) && /^text\/event-stream\b/i.test(head.headers["content-type"] ?? "")

/** The stream has limits of its own, which know how far it has come. */
const unlimited = 2 ** 31 - 1

/**
 * Sends the request and reads the head of the answer: all that can be tried again. What follows cannot, as the caller has
 * seen a part of it.
 */
export const open = Effect.fnUntraced(function* <O extends Operation>(
  client: Client["Service"],
  operation: Bound<O>,
  written: Written
): Effect.fn.Return<Opened, Failure<O> | AnswerInvalid | CarryError> {
  const manner = { deadlineMillis: unlimited, idleMillis: unlimited, isStreamed: isEvents }
  const incoming = yield* carry(client, operation, written, manner)
  if (!(incoming.body instanceof Uint8Array)) return { ...incoming, body: incoming.body }
  const body = Utf8.decode(incoming.body)
  const now = yield* Clock.currentTimeMillis
  const details = decode({ ...incoming, body }, operation.names, now)
  if (!isOk(incoming)) return yield* Effect.fail(ApiError.make(operation.errors, details) as Failure<O>)
  const { charge, headers, requestId, status } = details
  return yield* new AnswerInvalid({
    operation: operation.id,
    message: `Expected events, the answer is ${incoming.headers["content-type"] ?? "of no stated type"}`,
    status,
    outcome: "executed",
    charge,
    headers,
    body,
    ...(requestId === undefined ? {} : { requestId })
  })
})
