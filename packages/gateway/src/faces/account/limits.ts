import type { LimitState } from "@tollgate/contract/account/LimitState"
import * as Effect from "effect/Effect"
import type { Gateway } from "../../call/Gateway.ts"
import type { Limits } from "../../limits/Limits.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Tasks } from "../../call/task/Tasks.ts"
import { get, ok, type Route } from "../admin/Route.ts"
import { type Caller, needs } from "./Caller.ts"

const unlimited = refuse("route_not_found", "This gateway limits no key.")

/** All operations that start tasks share the limit. */
const taskLimit = ({ catalogue }: Gateway): number =>
  Math.max(0, ...catalogue.bound.map(({ limit }) => limit.tasks ?? 0))

export const limitRoutes = (
  caller: Caller,
  limits: Limits["Service"],
  tasks: Tasks["Service"] | undefined
): ReadonlyArray<Route> => {
  const { gateway, principal } = caller
  const state = Effect.gen(function* () {
    const state = yield* limits.state(principal)
    if (state === undefined) return yield* unlimited
    const running = tasks === undefined ? 0 : yield* tasks.running(principal)
    const all: LimitState = { ...state, tasks: { limit: tasks === undefined ? 0 : taskLimit(gateway), running } }
    return ok(all)
  })
  return [get("/limits", () => needs(caller, "usage")(state))]
}
