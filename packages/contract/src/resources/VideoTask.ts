import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import { TaskStatus } from "../Task.ts"
import { TaskTime } from "../Timestamp.ts"

export const TaskOutput = Open({
  task_id: Schema.String,
  task_status: TaskStatus,
  video_url: Schema.optionalKey(Schema.String.annotate({ format: "uri" })),
  orig_prompt: Schema.optionalKey(Schema.String),
  submit_time: Schema.optionalKey(TaskTime),
  scheduled_time: Schema.optionalKey(TaskTime),
  end_time: Schema.optionalKey(TaskTime),
  code: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String)
})

export const TaskUsage = Open({
  output_video_duration: Schema.optionalKey(Schema.Finite),
  video_count: Schema.optionalKey(Schema.Int),
  SR: Schema.optionalKey(Schema.Int)
})

export const VideoTask = Open({
  output: TaskOutput,
  usage: Schema.optionalKey(TaskUsage),
  request_id: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "VideoTask" })
export type VideoTask = typeof VideoTask.Type
