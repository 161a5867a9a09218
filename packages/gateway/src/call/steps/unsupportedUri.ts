import { taskGet } from "@tollgate/contract/operations/taskGet"
import type { Accepted } from "../../exchange/Exchange.ts"
import { parseQuery } from "../../internal/query.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

const path = (taskGet.path ?? "").replace("/{task_id}", "")

/** Refuses a poll with the task's id in the query. It belongs in the path. */
export const unsupportedUri = (accepted: Pick<Accepted, "path" | "query">): Refused | undefined =>
  accepted.path === path && parseQuery(accepted.query)?.has("task_id") === true
    ? refuse("unsupported_uri", "unsupported uri")
    : undefined
