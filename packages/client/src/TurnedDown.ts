import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/** The token that an API has just said 401 to, where the credential is asked for again because of it. */
export const TurnedDown = Context.Reference<Redacted.Redacted | undefined>("@tollgate/client/TurnedDown", {
  defaultValue: () => undefined
})
