import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { taskGet } from "@tollgate/contract/operations/taskGet"
import * as Effect from "effect/Effect"
import { attempt } from "../../call/send.ts"
import type { Client } from "../../Client.ts"
import type { CallError } from "../../errors/errors.ts"
import { invoke } from "../../call/Invocation.ts"
import { write } from "../../call/request.ts"

/** The wait timed out. The task continues and may still be billed. */
export class VideoTimedOut extends TaggedError("VideoTimedOut")<{
  /** Pass it to `awaitVideo` to resume waiting. */
  readonly taskId: string
  readonly message: string
  /** As of the last successful poll, if there was one. */
  readonly task?: VideoTask
}> {}

/** The task's status has been `UNKNOWN` for too long: the gateway does not know it, or its id is wrong. */
export class VideoLost extends TaggedError("VideoLost")<{
  /** Pass it to `awaitVideo` to resume waiting. */
  readonly taskId: string
  readonly message: string
}> {}

/** The task failed; it is not billed. */
export class VideoFailed extends TaggedError("VideoFailed")<{
  /** Pass it to `awaitVideo` to resume waiting. */
  readonly taskId: string
  readonly code?: string
  readonly message: string
  readonly task: VideoTask
}> {}

/** The task was canceled; a part of it may be billed. */
export class VideoCanceled extends TaggedError("VideoCanceled")<{
  /** Pass it to `awaitVideo` to resume waiting. */
  readonly taskId: string
  readonly message: string
  readonly task: VideoTask
}> {}

/** Polling failed with an error that retrying does not fix. The task continues. */
export class VideoUnseen extends TaggedError("VideoUnseen")<{
  /** Pass it to `awaitVideo` to resume waiting. */
  readonly taskId: string
  readonly message: string
  readonly cause: PollError
}> {}

export type VideoError = VideoTimedOut | VideoLost | VideoFailed | VideoCanceled | VideoUnseen

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
