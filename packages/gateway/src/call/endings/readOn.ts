import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import type { StreamMeter } from "../../upstream/Protocol.ts"

/** How long, and how far, the gateway reads a stream whose caller left, to get its usage report. */
const readOnMillis = 5_000
const readOnBytes = 65_536

/** Reads a stream that has sent its finish reason until its last event. Nobody gets what is read. */
export const readOn = <E>(
  upstream: Pull.Pull<NonEmptyReadonlyArray<Uint8Array>, E>,
  meter: StreamMeter
): Effect.Effect<void> => {
  let bytes = 0
  const next: Effect.Effect<void, unknown> = Effect.flatMap(upstream, (chunks) => {
    for (const chunk of chunks) {
      bytes += chunk.length
      meter.push(chunk)
    }
    return meter.report().state !== "open" || bytes > readOnBytes || meter.isTooLarge() ? Effect.void : next
  })
  return Effect.asVoid(Effect.timeoutOption(Effect.ignore(next), readOnMillis))
}
