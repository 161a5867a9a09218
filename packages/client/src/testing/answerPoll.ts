import { taskGet } from "@tollgate/contract/operations/taskGet"
import * as Schema from "effect/Schema"
import type { ReceivedCall } from "./Call.ts"
import type { GatewayState } from "./GatewayState.ts"
import { json, refusal, withGatewayHeaders, type TextAnswer } from "./wire.ts"

const idIn = Schema.decodeUnknownSync(taskGet.request.path)
const encode = Schema.encodeSync(taskGet.success)

/** The state of a task, or a 429 if it is polled too often. */
export const answerPoll = ({ tasks }: GatewayState, received: ReceivedCall): TextAnswer => {
  const { at, input, requestId } = received
  const { task_id } = idIn(input)
  const retryAfter = tasks.wait(task_id, at)
  if (retryAfter > 0) {
    const message = "The task is polled more than twice in a second; every three seconds is enough."
    return refusal(received, { code: "rate_limit_exceeded", message, retryAfter })
  }
  const body = JSON.stringify(encode(tasks.report(task_id, at, requestId)))
  return withGatewayHeaders(received, { status: 200, headers: json, body }, { state: "none" })
}
