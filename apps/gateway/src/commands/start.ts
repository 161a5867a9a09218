import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

/** Loads the server only when it is started, so that other commands start faster. */
export const launched = Effect.flatMap(
  Effect.promise(() => import("../launch.ts")),
  ({ launch }) => launch
)

export const start = Command.make("start", {}, () => launched).pipe(
  Command.withDescription("Start the gateway; this is the default command")
)
