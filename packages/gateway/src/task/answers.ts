import type { TaskStatus } from "@tollgate/contract/Task"
import { set } from "../internal/jsonEdit.ts"
import { json } from "../builtin/json.ts"
import type { Answer } from "../upstream/Protocol.ts"
import type { Seen } from "./seen.ts"

/** All that can be said where there is nothing to show. */
export const bare = (id: string, status: TaskStatus): string =>
  JSON.stringify({ output: { task_id: id, task_status: status } })

/** What a poll is answered with. */
export const polled = (body: string, requestId: string): Answer => {
  const answer = json(body, { "cache-control": "no-store" })
  return { ...answer, bytes: set(answer.bytes, ["request_id"], JSON.stringify(requestId)) }
}

/** The upstream's answer to a create, with our id in place of its own. */
export const accepted = (answer: Answer, seen: Seen, id: string, requestId: string): Answer => {
  const bytes = set(answer.bytes, ["output", "task_id"], JSON.stringify(id))
  return {
    ...answer,
    bytes: typeof seen.requestId === "string" ? bytes : set(bytes, ["request_id"], JSON.stringify(requestId))
  }
}
