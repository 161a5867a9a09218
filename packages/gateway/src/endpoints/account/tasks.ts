import type { StartedTask, tasks as routes } from "@tollgate/contract/account/Access"
import type { Accounts } from "@tollgate/ledger/account/Accounts"
import * as Effect from "effect/Effect"
import type { ListedTask } from "@tollgate/ledger/ledger/Task"
import type { Tasks } from "../../call/task/Tasks.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { amount, time } from "../managementApi/shapes.ts"
import type { Caller } from "./Caller.ts"

const shown = ({
  call,
  charged,
  createdAt,
  endedAt,
  id,
  operation,
  reserved,
  state,
  status
}: ListedTask): StartedTask => ({
  id,
  call,
  operation,
  status,
  state,
  created_at: time(createdAt),
  ended_at: endedAt === null ? null : time(endedAt),
  reserved_micros_usd: amount(reserved),
  charged_micros_usd: amount(charged)
})

/** A key with a budget or a quota is held by somebody who sees only what it started. */
const isLimited = Effect.fnUntraced(function* (accounts: Accounts["Service"], { principal }: Caller) {
  const { grant, key } = principal
  if (grant !== undefined || key === undefined) return false
  const { budget, quota } = yield* accounts.getKey(key)
  return budget !== null || quota !== null
})

export const taskHandlers = (
  tasks: Tasks["Service"],
  accounts: Accounts["Service"]
): Handlers<typeof routes, Caller> => ({
  tasks: Effect.fnUntraced(function* (_, caller) {
    const all = yield* tasks.list(caller.principal, yield* isLimited(accounts, caller))
    return { tasks: all.map(shown) }
  })
})
