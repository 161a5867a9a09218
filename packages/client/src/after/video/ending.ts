import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { VideoCanceled, VideoFailed } from "./errors.ts"

/** The error of a task that ended without a video. */
export const ending = (taskId: string, task: VideoTask): VideoFailed | VideoCanceled | undefined => {
  const { code, message, task_status } = task.output
  switch (task_status) {
    case "FAILED":
      return new VideoFailed({
        taskId,
        ...(typeof code === "string" ? { code } : {}),
        message: message ?? "The task failed",
        task
      })
    case "CANCELED":
      return new VideoCanceled({ taskId, message: message ?? "The task was canceled", task })
    default:
      return undefined
  }
}
