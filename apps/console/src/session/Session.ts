import type { Client } from "@tollgate/client/Client"
import type * as Layer from "effect/Layer"

/** How somebody signed in. */
export type SignedInBy = "key" | "demo" | "oauth"

/** Who uses the console. Credentials are inside the layers only. */
export interface Session {
  readonly by: SignedInBy
  /** For calls of operations: paced, as a program would make them. */
  readonly client: Layer.Layer<Client>
  /** For `/account/v1`, whose requests do not count towards the key's limits. */
  readonly account: Layer.Layer<Client>
  /** Gives the credential up, if that is possible. */
  readonly leave: () => Promise<unknown>
  /** Calls this once if the gateway accepts the credential no longer. */
  readonly onEnd: (listener: (why: string) => void) => void
}
