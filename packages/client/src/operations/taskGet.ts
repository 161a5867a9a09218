import type { Input } from "@tollgate/contract/Operation"
import { taskGet as operation } from "@tollgate/contract/operations/taskGet"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface TaskGetInput extends Input<typeof operation> {
  /** From `videoCreate`: its `output.task_id`. */
  readonly task_id: string
}

export type TaskGetError = Listed<CallError<typeof operation>>

/**
 * How far a task has come. `awaitVideo` polls until it has ended.
 *
 * @example
 * const { output } = yield* taskGet({ task_id })
 */
export const taskGet: (input: TaskGetInput, options?: CallOptions) => Effect.Effect<VideoTask, TaskGetError, Client> =
  /* @__PURE__ */ call(operation)
