import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Client } from "../Client.ts"
import { isPolled } from "../pace/polled.ts"

type Read<A> = (client: Client["Service"]) => Effect.Effect<A, unknown>

/** Reads something once for a client, however many calls need it at the same time. The next call repeats a failed read. */
export const sharedRead = <A>(read: Read<A>) => {
  const reading = new WeakMap<Client["Service"], Fiber.Fiber<A, unknown>>()
  const begin = (client: Client["Service"], read: Effect.Effect<A, unknown>): Effect.Effect<A, unknown> => {
    const forgotten = Effect.sync(() => reading.delete(client))
    // Detached, since other calls wait for it too.
    return Effect.flatMap(Effect.forkDetach(Effect.onError(read, () => forgotten)), (fiber) => {
      reading.set(client, fiber)
      return Fiber.join(fiber)
    })
  }
  return {
    get: (client: Client["Service"]): Effect.Effect<A, unknown> =>
      Effect.suspend(() => {
        const known = reading.get(client)
        // In Cloudflare Workers a request cannot wait for what another one reads.
        return known === undefined || (isPolled && known.pollUnsafe() === undefined)
          ? begin(client, read(client))
          : Fiber.join(known)
      }),
    /** Reads it again. */
    renew: begin
  }
}
