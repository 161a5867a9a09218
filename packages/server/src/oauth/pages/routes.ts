import type { Grants } from "@tollgate/gateway"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Provider } from "oidc-provider"
import type { SignIn } from "../SignIn.ts"

interface Needed {
  readonly provider: Provider
  readonly grants: Grants["Service"]
  readonly signIn: SignIn
}

/** Denies every request for access, until there is a page on which a person can decide. */
export const interactions =
  ({ provider }: Needed) =>
  async (req: IncomingMessage, res: ServerResponse): Promise<void> =>
    provider.interactionFinished(req, res, {
      error: "access_denied",
      error_description: "Nobody can grant access here yet."
    })
