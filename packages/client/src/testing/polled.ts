import { taskGet } from "@tollgate/contract/operations/taskGet"
import * as Schema from "effect/Schema"
import type { Exchange } from "./Call.ts"
import type { Desk } from "./Desk.ts"
import { json, refusal, told, type Written } from "./wire.ts"

const idIn = Schema.decodeUnknownSync(taskGet.request.path)
const encode = Schema.encodeSync(taskGet.success)

/** How far a task has come. Whoever asks too often is told to wait. */
export const polled = ({ tasks }: Desk, exchange: Exchange): Written => {
  const { at, input, requestId } = exchange
  const { task_id } = idIn(input)
  const retryAfter = tasks.wait(task_id, at)
  if (retryAfter > 0) {
    const message = "The task is polled more than twice in a second."
    return refusal(exchange, { code: "rate_limit_exceeded", message, retryAfter })
  }
  const body = JSON.stringify(encode(tasks.look(task_id, at, requestId)))
  return told(exchange, { status: 200, headers: json, body }, { state: "none" })
}
