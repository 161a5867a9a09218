import type { Configuration, ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import * as Effect from "effect/Effect"
import * as Bodies from "./bodies.ts"
import { get, ok, post, type Route } from "./Route.ts"

/** The configuration of a program, which knows its file. */
export interface ConfigurationControl {
  readonly current: Effect.Effect<Configuration>
  readonly check: Effect.Effect<ConfigurationCheck>
  readonly reload: Effect.Effect<ConfigurationCheck>
}

export const configurationRoutes = ({ check, current, reload }: ConfigurationControl): ReadonlyArray<Route> => [
  get("/config", () => Effect.map(current, ok)),
  post("/config/check", Bodies.Empty, () => Effect.map(check, ok)),
  // A reload that has begun is finished, whether or not the caller waits.
  post("/config/reload", Bodies.Empty, () => Effect.map(Effect.uninterruptible(reload), ok))
]
