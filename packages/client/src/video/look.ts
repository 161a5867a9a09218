import { taskGet } from "@tollgate/contract/operations/taskGet"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import * as Effect from "effect/Effect"
import { attempt } from "../attempt.ts"
import { boundOf } from "../boundOf.ts"
import type { Client } from "../Client.ts"
import type { CallError } from "../errors.ts"
import { write } from "../request.ts"

export type LookError = CallError<typeof taskGet>

/** Asks for the task once. When it is asked again is the waiter's to say, who keeps to the rate that polls are held to. */
export const look = Effect.fnUntraced(function* (
  client: Client["Service"],
  taskId: string
): Effect.fn.Return<VideoTask, LookError> {
  const bound = yield* boundOf(client, taskGet)
  const { value } = yield* attempt(client, bound, yield* write(client, bound, { task_id: taskId }))
  return value
})

const passing = new Set([429, 502, 503, 504])

/** It may be otherwise next time: a look is free and changes nothing. */
export const passes = (error: LookError): boolean =>
  error._tag === "TransportFailed" || error._tag === "PaceExceeded" || ("status" in error && passing.has(error.status))
