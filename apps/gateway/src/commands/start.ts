import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"

/** Loads the server only when it is started, so that other commands start faster. */
export const launched = Effect.flatMap(
  Effect.promise(() => import("../serve/start.ts")),
  ({ launch }) => launch
)

const managed = (count: number) =>
  Effect.flatMap(
    Effect.promise(() => import("../serve/workers/manage.ts")),
    ({ manage }) => manage(count)
  )

const mostWorkers = 64

const workers = Flag.Int("workers").pipe(
  Flag.filter(
    (count) => count >= 1 && count <= mostWorkers,
    (count) => `expected 1 to ${mostWorkers}, got ${count}`
  ),
  Flag.withDefault(1),
  Flag.withDescription("How many processes serve the port; more than one needs TOLLGATE_STORE")
)

export const start = Command.make("start", { workers }, ({ workers }) =>
  workers === 1 ? launched : managed(workers)
).pipe(Command.withDescription("Start the gateway; this is the default command"))
