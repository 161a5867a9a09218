import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import type { VideoCreateInput } from "../generated/operations.ts"
import type { Progress } from "../after/video/videoProgress.ts"
import type { CallPromise } from "./CallPromise.ts"
import type { PromiseGenerateVideoOptions, PromiseVideoOptions } from "./PromiseOptions.ts"

/** Videos, which take several calls. */
export interface VideoFunctions {
  /**
   * Waits until the task succeeds. Every error has the `taskId`, so that waiting can resume.
   *
   * @example
   * const { output } = await tollgate.awaitVideo(taskId, { timeout: "10 minutes" })
   */
  readonly awaitVideo: (taskId: string, options?: PromiseVideoOptions) => CallPromise<VideoTask>

  /**
   * Starts a video and waits for it. To store the id of the task before waiting, call `videoCreate` and `awaitVideo`.
   *
   * @example
   * const { output } = await tollgate.generateVideo({ model: "sandbox-video", input: { prompt: "A river from above" } })
   */
  readonly generateVideo: (input: VideoCreateInput, options?: PromiseGenerateVideoOptions) => CallPromise<VideoTask>

  /**
   * The status of a task after each poll, until it succeeds; any other end is an error.
   *
   * @example
   * for await (const { status } of tollgate.videoProgress(taskId)) console.log(status)
   */
  readonly videoProgress: (taskId: string, options?: PromiseVideoOptions) => AsyncIterable<Progress>
}
