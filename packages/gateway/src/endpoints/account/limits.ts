import type { limits as routes } from "@tollgate/contract/account/LimitState"
import * as Effect from "effect/Effect"
import type { Gateway } from "../../call/Gateway.ts"
import type { Limits } from "../../limits/Limits.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Tasks } from "../../call/task/Tasks.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import type { Caller } from "./Caller.ts"

const unlimited = refuse("route_not_found", "This gateway limits no key.")

/** All operations that start tasks share the limit. */
const taskLimit = ({ catalogue }: Gateway): number =>
  Math.max(0, ...catalogue.bound.map(({ limit }) => limit.tasks ?? 0))

export const limitHandlers = (
  limits: Limits["Service"],
  tasks: Tasks["Service"] | undefined
): Handlers<typeof routes, Caller> => ({
  limitState: Effect.fnUntraced(function* (_, { gateway, principal }) {
    const state = yield* limits.state(principal)
    if (state === undefined) return yield* unlimited
    const running = tasks === undefined ? 0 : yield* tasks.running(principal)
    return { ...state, tasks: { limit: tasks === undefined ? 0 : taskLimit(gateway), running } }
  })
})
