import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

/** Loaded when it is wanted: the other commands need no server. */
export const launched = Effect.flatMap(
  Effect.promise(() => import("../launch.ts")),
  ({ launch }) => launch
)

export const start = Command.make("start", {}, () => launched).pipe(
  Command.withDescription("Start the gateway, as does no command at all")
)
