import type { calls } from "@tollgate/contract/account/LoggedCall"
import type { usage as usageRoutes } from "@tollgate/contract/account/TagUsage"
import type { CallLog } from "@tollgate/ledger/usage/CallLog"
import type { Owner, Usage } from "@tollgate/ledger/usage/Usage"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import type { Caller } from "./Caller.ts"
import type { StartedTask, tasks as taskRoutes } from "@tollgate/contract/account/Access"
import type { Accounts } from "@tollgate/ledger/account/Accounts"
import { isLimited } from "@tollgate/ledger/account/keys"
import * as Effect from "effect/Effect"
import type { ListedTask } from "@tollgate/ledger/ledger/Task"
import type { Tasks } from "../../call/task/Tasks.ts"
import { amount, time, timeOrNull } from "../managementApi/shapes.ts"
import type { limits as limitRoutes } from "@tollgate/contract/account/LimitState"
import type { Gateway } from "../../call/Gateway.ts"
import type { Limits } from "../../limits/Limits.ts"
import { refuse } from "@tollgate/contract/errors/Refused"

/** Whose calls the caller sees: those of its key and its rotations, or of the account if it is an access token. */
const ownerOfCalls = ({ principal: { account, grant, key, rootKey } }: Caller): Owner =>
  grant === undefined ? { account, key, rootKey } : { account }

export const callHandlers = (log: CallLog["Service"]): Handlers<typeof calls, Caller> => ({
  calls: ({ query }, caller) => log.calls(ownerOfCalls(caller), query),
  callStory: ({ id }, caller) => log.story(ownerOfCalls(caller), id)
})

export const usageHandlers = (usage: Usage["Service"]): Handlers<typeof usageRoutes, Caller> => ({
  usageSeries: ({ query }, caller) => usage.series(ownerOfCalls(caller), query),
  usageByTag: ({ query }, caller) => usage.byTag(ownerOfCalls(caller), query)
})

const shown = (of: ListedTask): StartedTask => ({
  id: of.id,
  call: of.call,
  operation: of.operation,
  status: of.status,
  state: of.state,
  created_at: time(of.createdAt),
  ended_at: timeOrNull(of.endedAt),
  reserved_micros_usd: amount(of.reserved),
  charged_micros_usd: amount(of.charged)
})

/** Who holds a limited key sees only what it started. */
const seesOwnOnly = Effect.fnUntraced(function* (accounts: Accounts["Service"], { principal }: Caller) {
  const { grant, key } = principal
  return grant === undefined && key !== undefined && isLimited(yield* accounts.getKey(key))
})

export const taskHandlers = (
  tasks: Tasks["Service"],
  accounts: Accounts["Service"]
): Handlers<typeof taskRoutes, Caller> => ({
  tasks: Effect.fnUntraced(function* (_, caller) {
    const all = yield* tasks.list(caller.principal, yield* seesOwnOnly(accounts, caller))
    return { tasks: all.map(shown) }
  })
})

const unlimited = refuse("route_not_found", "This gateway limits no key.")

/** All operations that start tasks share the limit. */
const taskLimit = ({ catalogue }: Gateway): number =>
  Math.max(0, ...catalogue.bound.map(({ limit }) => limit.tasks ?? 0))

export const limitHandlers = (
  limits: Limits["Service"],
  tasks: Tasks["Service"] | undefined
): Handlers<typeof limitRoutes, Caller> => ({
  limitState: Effect.fnUntraced(function* (_, { gateway, principal }) {
    const state = yield* limits.state(principal)
    if (state === undefined) return yield* unlimited
    const running = tasks === undefined ? 0 : yield* tasks.running(principal)
    return { ...state, tasks: { limit: tasks === undefined ? 0 : taskLimit(gateway), running } }
  })
})
