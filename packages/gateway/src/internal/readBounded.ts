import * as Bytes from "effect/Bytes"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"

const tooLarge = () => Effect.fail(new NotCarried({ why: "broken" }))

/** Reads a whole body of at most `maxBytes`. Fails on a larger one, and stops reading it there. */
export const readBounded = (body: Incoming["body"], maxBytes: number): Effect.Effect<Uint8Array, NotCarried> => {
  if (body instanceof Uint8Array) return body.length > maxBytes ? tooLarge() : Effect.succeed(body)
  const chunks: Array<Uint8Array> = []
  let length = 0
  return body.pipe(
    Stream.runForEach((chunk) => {
      chunks.push(chunk)
      length += chunk.length
      return length > maxBytes ? tooLarge() : Effect.void
    }),
    Effect.map(() => Bytes.concat(chunks))
  )
}
