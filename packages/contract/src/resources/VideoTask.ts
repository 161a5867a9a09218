import * as Schema from "effect/Schema"
import { Maybe, maybeAll, Open } from "../Open.ts"
import { TaskStatus } from "../Task.ts"

export const TaskOutput = Open({
  task_id: Schema.String,
  task_status: TaskStatus,
  /** Expires a few hours after the task ends. */
  video_url: Maybe(Schema.String.annotate({ format: "uri" })),
  /** Times have the format of `Timestamp`. They stay text, so that an invalid one does not reject the answer. */
  ...maybeAll(["orig_prompt", "submit_time", "scheduled_time", "end_time", "code", "message"], Schema.String)
})
export interface TaskOutput extends Schema.Schema.Type<typeof TaskOutput> {}

export const TaskUsage = Open({
  output_video_duration: Maybe(Schema.Finite),
  ...maybeAll(["video_count", "SR"], Schema.Int)
})
export interface TaskUsage extends Schema.Schema.Type<typeof TaskUsage> {}

export const VideoTask = Open({
  output: TaskOutput,
  usage: Maybe(TaskUsage),
  request_id: Maybe(Schema.String)
}).annotate({ identifier: "VideoTask" })
export interface VideoTask extends Schema.Schema.Type<typeof VideoTask> {
  readonly output: TaskOutput
  readonly usage?: TaskUsage | null
}
