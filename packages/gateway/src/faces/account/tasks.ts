import type { StartedTask, StartedTasks } from "@tollgate/contract/account/Access"
import * as Effect from "effect/Effect"
import type { ListedTask } from "../../books/ledger/Task.ts"
import type { Tasks } from "../../call/task/Tasks.ts"
import { get, ok, type Route } from "../admin/Route.ts"
import { amount, time } from "../admin/shapes.ts"
import { type Caller, needs } from "./Caller.ts"

const shown = ({ call, charged, createdAt, endedAt, id, operation, reserved, state, status }: ListedTask) =>
  ({
    id,
    call,
    operation,
    status,
    state,
    created_at: time(createdAt),
    ended_at: endedAt === null ? null : time(endedAt),
    reserved_micros_usd: amount(reserved),
    charged_micros_usd: amount(charged)
  }) satisfies StartedTask

export const taskRoutes = (caller: Caller, tasks: Tasks["Service"]): ReadonlyArray<Route> => [
  get("/tasks", () =>
    tasks.list(caller.principal).pipe(
      Effect.map((all) => ok({ tasks: all.map(shown) } satisfies StartedTasks)),
      needs(caller, "usage")
    )
  )
]
