import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/** The token that the gateway has just rejected with 401. Set while the credential effect is run again because of it. */
export const RejectedCredential = Context.Reference<Redacted.Redacted | undefined>(
  "@tollgate/client/RejectedCredential",
  {
    defaultValue: () => undefined
  }
)
