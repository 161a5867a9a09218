import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import type { PollError } from "./pollTask.ts"

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
