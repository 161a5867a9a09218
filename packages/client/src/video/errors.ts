import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import { VideoTask } from "@tollgate/contract/resources/VideoTask"
import * as Schema from "effect/Schema"
import type { PollError } from "./pollTask.ts"

/** Pass it to `awaitVideo` to resume waiting. */
const taskId = Schema.String

/** The wait timed out. The task continues and may still be billed. */
export class VideoTimedOut extends TaggedError<VideoTimedOut>()("VideoTimedOut", {
  taskId,
  message: Schema.String,
  /** As of the last successful poll, if there was one. */
  task: Schema.optionalKey(VideoTask)
}) {}

/** The task's status has been `UNKNOWN` for too long. */
export class VideoLost extends TaggedError<VideoLost>()("VideoLost", { taskId, message: Schema.String }) {}

/** The task failed; it is not billed. */
export class VideoFailed extends TaggedError<VideoFailed>()("VideoFailed", {
  taskId,
  code: Schema.optionalKey(Schema.String),
  message: Schema.String,
  task: VideoTask
}) {}

/** The task was canceled; a part of it may be billed. */
export class VideoCanceled extends TaggedError<VideoCanceled>()("VideoCanceled", {
  taskId,
  message: Schema.String,
  task: VideoTask
}) {}

/** Polling failed with an error that retrying does not fix. The task continues. */
export class VideoUnseen extends TaggedError<VideoUnseen>()("VideoUnseen", {
  taskId,
  message: Schema.String,
  cause: Schema.Defect()
}) {
  declare readonly cause: PollError
}

export type VideoError = VideoTimedOut | VideoLost | VideoFailed | VideoCanceled | VideoUnseen
