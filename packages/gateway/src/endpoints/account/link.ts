import type { link, LinkState } from "@tollgate/contract/account/Access"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Links } from "../../identity/link/Links.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { time } from "../managementApi/shapes.ts"
import type { Caller } from "./Caller.ts"

/** Without links, no account can be linked here. */
export const linkHandlers = (links: Links["Service"] | undefined): Handlers<typeof link, Caller> => {
  const state = Effect.fnUntraced(function* ({ gateway, principal }: Caller) {
    const linked = links === undefined ? undefined : Option.getOrUndefined(yield* links.linked(principal))
    const state: LinkState = {
      available: links !== undefined,
      platform: gateway.catalogue.names.social_a,
      offered_scopes: links?.offered ?? [],
      linked: linked !== undefined,
      scopes: linked?.scopes ?? [],
      linked_at: linked === undefined ? null : time(linked.linkedAt)
    }
    return state
  })
  return {
    linkState: (_, caller) => state(caller),
    unlink: (_, caller) =>
      links === undefined ? state(caller) : Effect.andThen(links.unlink(caller.principal), state(caller))
  }
}
