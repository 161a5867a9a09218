import type { LinkState } from "@tollgate/contract/account/Access"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Links } from "../../identity/link/Links.ts"
import * as Bodies from "../admin/bodies.ts"
import { get, ok, post, type Route } from "../admin/Route.ts"
import { time } from "../admin/shapes.ts"
import { type Caller, needs } from "./Caller.ts"

/** Without links, no account can be linked here. */
export const linkRoutes = (caller: Caller, links: Links["Service"] | undefined): ReadonlyArray<Route> => {
  const { gateway, principal } = caller

  const state = Effect.gen(function* () {
    const linked = links === undefined ? undefined : Option.getOrUndefined(yield* links.linked(principal))
    const state: LinkState = {
      available: links !== undefined,
      platform: gateway.catalogue.names.social_a,
      linked: linked !== undefined,
      scopes: linked?.scopes ?? [],
      linked_at: linked === undefined ? null : time(linked.linkedAt)
    }
    return ok(state)
  })

  const remove = links === undefined ? state : Effect.andThen(links.unlink(principal), state)

  return [
    get("/link", () => needs(caller, "usage")(state)),
    // Who may link an account may forget it.
    post("/link/remove", Bodies.Empty, () => needs(caller, "use")(remove))
  ]
}
