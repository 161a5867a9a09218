import type { Configuration, ConfigurationCheck, configuration } from "@tollgate/contract/admin/Configuration"
import * as Effect from "effect/Effect"
import type { Handlers } from "../ownApi/ApiRouter.ts"

/** The configuration of a program, which knows its file. */
export interface ConfigurationControl {
  readonly current: Effect.Effect<Configuration>
  readonly check: Effect.Effect<ConfigurationCheck>
  readonly reload: Effect.Effect<ConfigurationCheck>
}

export const configurationHandlers = ({
  check,
  current,
  reload
}: ConfigurationControl): Handlers<typeof configuration> => ({
  configuration: () => current,
  checkConfiguration: () => check,
  // A reload that has begun is finished, whether or not the caller waits.
  reloadConfiguration: () => Effect.uninterruptible(reload)
})
