import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import * as Effect from "effect/Effect"
import type { Client } from "../../Client.ts"
import { retryExpired, begin, type Opening, within } from "./begin.ts"
import type { LinkError } from "./errors.ts"

export interface LinkOptions<E = never, R = never> extends Opening<E, R> {
  /**
   * Ends when the user has approved: the program's own word for it, such as a button beside the address. The interface has
   * nothing to ask it from, so it is taken at that word; if it was wrong, the next write is refused with 403.
   */
  readonly confirm: (session: LinkSession) => Effect.Effect<unknown, E, R>
}

/**
 * Links a platform account to the client's key: starts, opens, and waits for the user until the address expires. It
 * replaces what was linked before.
 */
export const link = <E = never, R = never>(
  options: LinkOptions<E, R>
): Effect.Effect<LinkSession, LinkError | E, Client | R> =>
  begin(options).pipe(
    Effect.flatMap((begun) => Effect.as(within(begun, options.confirm(begun.session)), begun.session)),
    retryExpired(options)
  )
