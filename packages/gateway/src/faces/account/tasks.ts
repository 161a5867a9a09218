import type { StartedTask, tasks as routes } from "@tollgate/contract/account/Access"
import * as Effect from "effect/Effect"
import type { ListedTask } from "@tollgate/ledger/ledger/Task"
import type { Tasks } from "../../call/task/Tasks.ts"
import type { Handlers } from "../ownApi/ApiRouter.ts"
import { amount, time } from "../ownApi/shapes.ts"
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

export const taskHandlers = (tasks: Tasks["Service"]): Handlers<typeof routes, Caller> => ({
  tasks: (_, { principal }) => Effect.map(tasks.list(principal), (all) => ({ tasks: all.map(shown) }))
})
