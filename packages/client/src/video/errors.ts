import { VideoTask } from "@tollgate/contract/resources/VideoTask"
import * as Schema from "effect/Schema"
import type { LookError } from "./look.ts"

/** With which the wait can be taken up again. */
const taskId = Schema.String

/** It is not known how the task ends: it goes on, and may yet be billed. */
export class VideoTimedOut extends Schema.TaggedError<VideoTimedOut>()("VideoTimedOut", {
  taskId,
  message: Schema.String,
  /** As it was last seen, if it was. */
  task: Schema.optionalKey(VideoTask)
}) {}

/** For too long nobody knows of a task with this id. */
export class VideoLost extends Schema.TaggedError<VideoLost>()("VideoLost", { taskId, message: Schema.String }) {}

/** The task failed; it is not billed. */
export class VideoFailed extends Schema.TaggedError<VideoFailed>()("VideoFailed", {
  taskId,
  code: Schema.optionalKey(Schema.String),
  message: Schema.String,
  task: VideoTask
}) {}

/** The task was canceled; a part of it may be billed. */
export class VideoCanceled extends Schema.TaggedError<VideoCanceled>()("VideoCanceled", {
  taskId,
  message: Schema.String,
  task: VideoTask
}) {}

/** The task could not be asked for, and asking again would not help. It goes on. */
export class VideoUnseen extends Schema.TaggedError<VideoUnseen>()("VideoUnseen", {
  taskId,
  message: Schema.String,
  cause: Schema.Defect()
}) {
  declare readonly cause: LookError
}

export type VideoError = VideoTimedOut | VideoLost | VideoFailed | VideoCanceled | VideoUnseen
