import type { CallPromise } from "../CallPromise.ts"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import type { PromiseCallOptions, PromiseGenerateVideoOptions, PromiseVideoOptions } from "../PromiseOptions.ts"
import type { TaskGetInput } from "../../operations/taskGet.ts"
import type { VideoCreateInput } from "../../operations/videoCreate.ts"
import type { Progress } from "../../video/videoProgress.ts"

/** Videos. */
export interface VideoFunctions {
  /**
   * Waits until the task succeeds. Every error has the `taskId`, so that waiting can resume.
   *
   * @example
   * const { output } = await client.awaitVideo(taskId, { timeout: "10 minutes" })
   */
  readonly awaitVideo: (taskId: string, options?: PromiseVideoOptions) => CallPromise<VideoTask>

  /**
   * Starts a video and waits for it. To store the id of the task before waiting, call `videoCreate` and `awaitVideo`.
   *
   * @example
   * const { output } = await client.generateVideo({ model: "sandbox-video", input: { prompt: "A river from above" } })
   */
  readonly generateVideo: (input: VideoCreateInput, options?: PromiseGenerateVideoOptions) => CallPromise<VideoTask>

  /**
   * How far a task has come. `awaitVideo` polls until it has ended.
   *
   * @example
   * const { output } = await client.taskGet({ task_id })
   */
  readonly taskGet: (input: TaskGetInput, options?: PromiseCallOptions) => CallPromise<VideoTask>

  /**
   * Starts generating a video. If the outcome is unknown, it fails with `OutcomeUnknown` and is not retried.
   *
   * @example
   * const { output } = await client.videoCreate({ model: "sandbox-video", input: { prompt: "A river from above" } })
   */
  readonly videoCreate: (input: VideoCreateInput, options?: PromiseCallOptions) => CallPromise<VideoTask>

  /**
   * The status of a task after each poll, until it succeeds; any other end is an error.
   *
   * @example
   * for await (const { status } of client.videoProgress(taskId)) console.log(status)
   */
  readonly videoProgress: (taskId: string, options?: PromiseVideoOptions) => AsyncIterable<Progress>
}
