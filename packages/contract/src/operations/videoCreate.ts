import * as Schema from "effect/Schema"
import * as declared from "../errors/Family.ts"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import { VideoTask } from "../resources/VideoTask.ts"
import * as limits from "../limits.ts"

export const summary = "Start generating a video"
export const description =
  "A clip or animation from a description, or a picture set in motion. It takes minutes: ask for its status as a task."

export const videoCreate = Operation.make({
  id: "video.create",
  category: "video",
  method: "POST",
  path: "/apis/v1/services/aigc/video-generation/video-synthesis",
  request: {
    headers: { "X-{provider}-Async": "enable" },
    body: Open({ model: Schema.String, input: Open({ prompt: Schema.String }) })
  },
  success: VideoTask,
  errors: declared.billed,
  family: "task",
  price: { contract: "per_task", amount: "pending" },
  limit: limits.video,
  bodyLimit: Operation.bodyLimits.model,
  replay: "create",
  upstream: "native",
  pending: [{ open: "request", what: "body fields other than model and input.prompt" }]
})
