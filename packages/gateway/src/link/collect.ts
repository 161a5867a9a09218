import * as Bytes from "effect/Bytes"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"

/** The whole of an answer that is no larger than this; of one that is, the rest is not read. */
export const collect = (body: Incoming["body"], most: number): Effect.Effect<Uint8Array, NotCarried> => {
  if (body instanceof Uint8Array) {
    return body.length > most ? Effect.fail(new NotCarried({ why: "broken" })) : Effect.succeed(body)
  }
  const pieces: Array<Uint8Array> = []
  let length = 0
  return body.pipe(
    Stream.runForEach((piece) => {
      pieces.push(piece)
      length += piece.length
      return length > most ? Effect.fail(new NotCarried({ why: "broken" })) : Effect.void
    }),
    Effect.map(() => Bytes.concat(pieces))
  )
}
