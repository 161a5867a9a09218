import type { Input } from "@tollgate/contract/Operation"
import { linkStart as operation } from "@tollgate/contract/operations/linkStart"
import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface LinkStartInput extends Input<typeof operation> {
  /** Defaults to the gateway's own set. */
  readonly scopes?: ReadonlyArray<string>
}

export type LinkStartError = Listed<CallError<typeof operation>>

/**
 * Starts linking a platform account: the user opens `auth_url` and approves.
 *
 * @example
 * const { auth_url } = yield* linkStart({ scopes: ["follows.write"] })
 */
export const linkStart: (
  input: LinkStartInput,
  options?: CallOptions
) => Effect.Effect<LinkSession, LinkStartError, Client> = /* @__PURE__ */ call(operation)
