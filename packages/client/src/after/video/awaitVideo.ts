import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type CallOptions, millisOf } from "../../options/CallOptions.ts"
import { call } from "../../call/call.ts"
import type { Client } from "../../Client.ts"
import type { Listed } from "../../errors/errors.ts"
import type { VideoCreateError, VideoCreateInput } from "../../generated/operations.ts"
import type { VideoError } from "./errors.ts"
import { type VideoOptions, videoProgress } from "./videoProgress.ts"

/**
 * Waits until the task succeeds. Every error has the `taskId`, so that waiting can resume.
 *
 * @example
 * const { output } = yield* awaitVideo(taskId, { timeout: "10 minutes" })
 */
export const awaitVideo = (taskId: string, options?: VideoOptions): Effect.Effect<VideoTask, VideoError, Client> =>
  Effect.map(
    Stream.runLast(videoProgress(taskId, options)),
    // A stream that ends without error has emitted the finished task.
    (last) => Option.getOrThrow(last).task
  )

const create = call(videoCreate)

/** Those of the wait, and those of the call that starts it. `timeout` is of the wait. */
export interface GenerateVideoOptions extends VideoOptions, Omit<CallOptions, "timeout" | "headers"> {}

/** Every error of starting a video and waiting for it. */
export type GenerateVideoError = Listed<VideoCreateError | VideoError>

/**
 * Starts a video and waits for it. To store the id of the task before waiting, call `videoCreate` and `awaitVideo`.
 *
 * @example
 * const { output } = yield* generateVideo({ model: "sandbox-video", input: { prompt: "A river from above" } })
 */
export const generateVideo = (
  input: VideoCreateInput,
  { timeout, ...options }: GenerateVideoOptions = {}
): Effect.Effect<VideoTask, GenerateVideoError, Client> =>
  Effect.suspend(() => {
    // Those of waiting are no options of a call.
    const { betweenMillis: _, firstMillis: _first, unknownMillis: _unknown, ...creating } = options
    // Before anything is paid for, since it throws if this is no duration.
    const waiting = timeout === undefined ? options : { ...options, timeout: millisOf(timeout) }
    return Effect.flatMap(create(input, creating), ({ output }) => awaitVideo(output.task_id, waiting))
  })
