import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { VideoTask } from "../resources/VideoTask.ts"
import * as limits from "../limits.ts"

export const summary = "Start generating a video"
export const description =
  "A clip or animation from a description, or a picture set in motion. It takes minutes: ask for its status as a task."

export const videoCreate = Operation.make({
  ...kinds.nativeCall,
  id: "video.create",
  category: "video",
  path: "/apis/v1/services/aigc/video-generation/video-synthesis",
  request: {
    headers: { "X-{provider}-Async": "enable" },
    body: Open({
      model: Schema.String.annotate({ description: "The name of a video model." }),
      input: Open({ prompt: Schema.String })
    })
  },
  success: VideoTask,
  family: "task",
  price: { contract: "per_task", amount: "pending" },
  limit: limits.video,
  bodyLimit: Operation.bodyLimits.model,
  replay: "create",
  pending: [{ open: "request", what: "body fields other than model and input.prompt" }]
})
