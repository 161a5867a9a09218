import * as Schema from "effect/Schema"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { VideoTask } from "../resources/VideoTask.ts"

export const summary = "Get the status of a task"
export const description = "Whether a video or job has finished, and its result if it has."

/** `awaitVideo` polls until it has ended. */
export const taskGet = Operation.make({
  ...kinds.ownRead,
  id: "task.get",
  category: "video",
  path: "/apis/v1/services/aigc/tasks/{task_id}",
  request: {
    path: Schema.Struct({
      task_id: Schema.NonEmptyString.annotate({ description: "`output.task_id` of `video.create`." })
    })
  },
  success: VideoTask,
  family: "task"
})
