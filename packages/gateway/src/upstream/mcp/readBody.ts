import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { CarriedCall } from "./CarriedCall.ts"
import { messageReader } from "./messages.ts"

type Body = Stream.Stream<Uint8Array, NotCarried>

const mostWaiting = 16

/** How long the end of an answer is waited for after its result. A connection whose answer is cut off is closed. */
const endMillis = 1_000

/** The server has received the call once its answer has begun. */
const brokenBy = ({ why }: NotCarried): NotCarried["why"] => (why === "not sent" ? "broken" : why)

const observed = (body: Body, call: CarriedCall, maxBytes: number): Body => {
  const reader = messageReader(call, maxBytes)
  return Stream.tapError(
    Stream.mapEffect(body, (chunk) => {
      reader.push(chunk)
      return reader.isTooLarge() ? Effect.fail(new NotCarried({ why: "too large" })) : Effect.succeed(chunk)
    }),
    (error) => Effect.sync(() => (call.notCarried = new NotCarried({ why: brokenBy(error) })))
  )
}

/**
 * The events of an answer, read on their way to Effect's client. That one stops reading at the result, so a fiber of its own reads
 * the answer to its end, and the connection can be used again.
 */
export const readBody = (body: Body, call: CarriedCall, maxBytes: number): Body =>
  Stream.unwrap(
    Effect.gen(function* () {
      const chunks = yield* Queue.make<Uint8Array, NotCarried | Cause.Done>({ capacity: mostWaiting })
      const reading = yield* Stream.runForEach(observed(body, call, maxBytes), (chunk) =>
        Queue.offer(chunks, chunk)
      ).pipe(
        Effect.matchEffect({
          onFailure: (error) => Queue.fail(chunks, error),
          onSuccess: () => Queue.end(chunks)
        }),
        Effect.interruptible,
        Effect.forkDetach
      )
      const stop = Effect.suspend(() =>
        call.result === undefined
          ? Fiber.interrupt(reading)
          : Effect.andThen(Effect.timeoutOption(Fiber.await(reading), endMillis), Fiber.interrupt(reading))
      )
      return Stream.ensuring(
        Stream.fromQueue(chunks),
        Effect.andThen(Queue.shutdown(chunks), Effect.forkDetach(Effect.interruptible(stop)))
      )
    })
  )
