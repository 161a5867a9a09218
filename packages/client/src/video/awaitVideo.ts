import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import type { Input } from "@tollgate/contract/Operation"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CallOptions } from "../CallOptions.ts"
import { call } from "../call.ts"
import type { Client } from "../Client.ts"
import type { CallError } from "../errors.ts"
import type { VideoError } from "./errors.ts"
import { type VideoOptions, videoProgress } from "./videoProgress.ts"

/** Waits until the task succeeds. Every error carries the task's id, so that waiting can resume. */
export const awaitVideo = (taskId: string, options?: VideoOptions): Effect.Effect<VideoTask, VideoError, Client> =>
  Effect.map(
    Stream.runLast(videoProgress(taskId, options)),
    // A stream that ends without error has emitted the finished task.
    (last) => Option.getOrThrow(last).task
  )

const create = call(videoCreate)

/** Those of the wait, and those of the call that starts it. `timeout` is of the wait. */
export type GenerateVideoOptions = VideoOptions & Omit<CallOptions, "timeout">

/** Starts a video and waits for it. To store the task's id before waiting, call `videoCreate` and `awaitVideo`. */
export const generateVideo = (
  input: Input<typeof videoCreate>,
  { timeout, ...options }: GenerateVideoOptions = {}
): Effect.Effect<VideoTask, CallError<typeof videoCreate> | VideoError, Client> =>
  Effect.flatMap(create(input, options), ({ output }) =>
    awaitVideo(output.task_id, timeout === undefined ? options : { ...options, timeout })
  )
