import { type Client, resume } from "@tollgate/client"
import type * as Effect from "effect/Effect"

/** A function of the client, or one of the app's own. */
export type CallFunction<I, O, A, E> = (input: I, options?: O) => Effect.Effect<A, E, Client>

/**
 * Asks for the outcome of a call that ended with `OutcomeUnknown`. `undefined` for any other error, and for a function of the
 * app's own, of which the client cannot know what it called.
 */
export const resumeCall = <I, O, A, E>(
  f: CallFunction<I, O, A, E>,
  error: unknown
): Effect.Effect<A, E, Client> | undefined => {
  if (!("operation" in f) || !(error instanceof Error)) return undefined
  if (!("_tag" in error) || error._tag !== "OutcomeUnknown") return undefined
  // `operation` marks a function of the client: its errors include those of `resume`.
  return resume(f as never, error) as Effect.Effect<A, E, Client>
}
