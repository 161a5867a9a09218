import * as Bytes from "effect/Bytes"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Incoming, NotCarried } from "./Carrier.ts"

/** Reads a body to its end. Stops at `maxBytes` and fails with `too large`, which closes the stream's source. */
export const collect = (
  body: Stream.Stream<Uint8Array, NotCarried>,
  maxBytes = Infinity
): Effect.Effect<Uint8Array, NotCarried> =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    const read = Stream.runForEach(body, (chunk) => {
      size += chunk.length
      if (size > maxBytes) return Effect.fail(new NotCarried({ why: "too large" }))
      chunks.push(chunk)
      return Effect.void
    })
    return Effect.map(read, () => Bytes.concat(chunks))
  })

/** Reads a whole body of at most `maxBytes`. Fails on a larger one, and stops reading it there. */
export const readBounded = (body: Incoming["body"], maxBytes: number): Effect.Effect<Uint8Array, NotCarried> => {
  if (!(body instanceof Uint8Array)) return collect(body, maxBytes)
  return body.length > maxBytes ? Effect.fail(new NotCarried({ why: "too large" })) : Effect.succeed(body)
}
