import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { polling, type TaskStatus } from "@tollgate/contract/Task"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { Client } from "../Client.ts"
import { ending } from "./ending.ts"
import { type VideoError, VideoLost, VideoTimedOut, VideoUnseen } from "./errors.ts"
import { look, type LookError, passes } from "./look.ts"
import * as Pace from "./pace.ts"

export interface VideoOptions extends Pace.Pace {
  /** For the whole wait. Five minutes. */
  readonly deadlineMillis?: number
  /** For how long nobody need know of the task: one that was just created may not be known everywhere. One minute. */
  readonly unknownMillis?: number
}

export interface Progress {
  readonly status: TaskStatus
  /** Since this wait began. */
  readonly elapsedMillis: number
  readonly task: VideoTask
}

/**
 * How a task goes, each time it was looked at, until it has succeeded; any other end is an error. A look that fails for a
 * reason which passes is made again, later if the server says so.
 */
export const videoProgress = (
  taskId: string,
  options: VideoOptions = {}
): Stream.Stream<Progress, VideoError, Client> =>
  Stream.fromPull(
    Effect.gen(function* () {
      const client = yield* Client
      const { deadlineMillis = polling.deadlineMillis, unknownMillis = 60_000 } = options
      const started = yield* Clock.currentTimeMillis
      let delay = Pace.first(options)
      let unknownSince: number | undefined
      let last: VideoTask | undefined

      const judge = Effect.fnUntraced(function* (task: VideoTask): Effect.fn.Return<Progress, VideoError> {
        const now = yield* Clock.currentTimeMillis
        const status = task.output.task_status
        last = task
        unknownSince = status === "UNKNOWN" ? (unknownSince ?? now) : undefined
        const end = ending(taskId, task)
        if (end !== undefined) return yield* Effect.fail(end)
        if (unknownSince !== undefined && now - unknownSince >= unknownMillis) {
          return yield* new VideoLost({ taskId, message: `Nobody has known of the task for ${now - unknownSince} ms` })
        }
        return { status, elapsedMillis: now - started, task }
      })

      const again = (error: LookError): Effect.Effect<Progress, VideoError> => {
        if (!passes(error)) return Effect.fail(new VideoUnseen({ taskId, message: error.message, cause: error }))
        delay = Math.max(delay, ("retryAfter" in error ? error.retryAfter : undefined) ?? 0)
        return step
      }

      const step: Effect.Effect<Progress, VideoError> = Effect.gen(function* () {
        yield* Effect.sleep(delay)
        delay = yield* Pace.between(options)
        return yield* Effect.matchEffect(look(client, taskId), { onSuccess: judge, onFailure: again })
      })

      const inTime = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.timeoutOrElse(step, {
          duration: Math.max(0, started + deadlineMillis - now),
          orElse: () =>
            Effect.fail(
              new VideoTimedOut({
                taskId,
                message: `The task has not ended within ${deadlineMillis} ms`,
                ...(last === undefined ? {} : { task: last })
              })
            )
        })
      )
      type Next = Pull.Pull<Arr.NonEmptyArray<Progress>, VideoError>
      return Effect.suspend((): Next =>
        last?.output.task_status === "SUCCEEDED" ? Cause.done() : Effect.map(inTime, Arr.of)
      )
    })
  )
