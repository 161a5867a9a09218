import { taskGet } from "@tollgate/contract/operations/taskGet"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import * as Effect from "effect/Effect"
import { attempt } from "../../call/attempt.ts"
import type { Client } from "../../Client.ts"
import type { CallError } from "../../errors/errors.ts"
import { invoke } from "../../call/Invocation.ts"
import { write } from "../../call/request.ts"

/** A poll that hangs is given up, and the task is polled again. */
const longestMillis = 60_000

export type PollError = CallError<typeof taskGet>

/** Polls the task once, without retries: the caller decides when to poll again, within the rate limit of polls. */
export const pollTask = Effect.fnUntraced(function* (
  client: Client["Service"],
  taskId: string,
  headers: Readonly<Record<string, string>>
): Effect.fn.Return<VideoTask, PollError> {
  const invocation = yield* invoke(client, taskGet, undefined, { headers, timeout: longestMillis })
  const { value } = yield* attempt(invocation, yield* write(invocation, { task_id: taskId }))
  return value
})

const transientStatuses = new Set([429, 502, 503, 504])

/** Whether polling again may help. A poll is free and changes nothing. */
export const isTransient = (error: PollError): boolean =>
  error._tag === "TransportFailed" ||
  error._tag === "PaceExceeded" ||
  ("status" in error && transientStatuses.has(error.status))
