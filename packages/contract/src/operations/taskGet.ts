import * as Schema from "effect/Schema"
import * as declared from "../errors/Family.ts"
import * as Operation from "../Operation.ts"
import { VideoTask } from "../resources/VideoTask.ts"

export const summary = "Get the status of a task"
export const description = "Whether a video or job has finished, and its result if it has."

/** `awaitVideo` polls until it has ended. */
export const taskGet = Operation.make({
  id: "task.get",
  category: "video",
  method: "GET",
  path: "/apis/v1/services/aigc/tasks/{task_id}",
  request: {
    path: Schema.Struct({
      task_id: Schema.NonEmptyString.annotate({ description: "`output.task_id` of `video.create`." })
    })
  },
  success: VideoTask,
  errors: declared.free,
  family: "task",
  price: { contract: "free" },
  replay: "free",
  upstream: "gateway"
})
