import { type Incoming, NotCarried } from "./Carrier.ts"
import { collect } from "./collect.ts"
import * as Effect from "effect/Effect"

/** Reads a whole body of at most `maxBytes`. Fails on a larger one, and stops reading it there. */
export const readBounded = (body: Incoming["body"], maxBytes: number): Effect.Effect<Uint8Array, NotCarried> => {
  if (!(body instanceof Uint8Array)) return collect(body, maxBytes)
  return body.length > maxBytes ? Effect.fail(new NotCarried({ why: "too large" })) : Effect.succeed(body)
}
