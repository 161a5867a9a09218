import { taskGet as operation } from "@tollgate/contract/operations/taskGet"
import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import type { TaskStatus } from "@tollgate/contract/Task"
import * as Timestamp from "@tollgate/contract/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Counts, Handler } from "../BilledAnswer.ts"
import { remember } from "../data/Memory.ts"
import * as Query from "../data/query.ts"
import { originOf } from "../data/query.ts"
import { addressOf, clip } from "./clip.ts"
import * as Task from "./Task.ts"
import { Memory } from "./Task.ts"
import { refuse, requestIdOf } from "./wire.ts"

const mostBilled = 10_000

const promptLost = "(the prompt was lost when the sandbox restarted)"

/** The cost of a task's end, and the usage that proves it. A failed task costs nothing. */
const costOf = (status: TaskStatus, task: Task.Task): { billed: Counts; usage?: VideoTask["usage"] } => {
  if (status === "SUCCEEDED") {
    return { billed: { tasks: 1 }, usage: { output_video_duration: clip.seconds, video_count: 1, SR: clip.height } }
  }
  if (status === "CANCELED" && task.ending === "canceled half") {
    return {
      billed: { halves: 1 },
      usage: { output_video_duration: clip.seconds / 2, video_count: 0, SR: clip.height }
    }
  }
  return { billed: {} }
}

const detailsOf = (status: TaskStatus, task: Task.Task, id: string, prompt: string, origin: string) => {
  switch (status) {
    case "SUCCEEDED":
      return { video_url: addressOf(origin, id, Task.endOf(task)), orig_prompt: prompt }
    case "FAILED":
      return { code: "InternalError.Generation", message: "The video could not be generated, as the prompt asked." }
    case "CANCELED":
      return { message: "The task was canceled, as the prompt asked." }
    default:
      return {}
  }
}

const timesOf = (status: TaskStatus, task: Task.Task) => ({
  submit_time: Timestamp.format(task.created),
  ...(status === "PENDING" ? {} : { scheduled_time: Timestamp.format(Task.startOf(task)) }),
  ...(status === "PENDING" || status === "RUNNING" ? {} : { end_time: Timestamp.format(Task.endOf(task)) })
})

/** Reports a task's status, from the clock and the id alone. The first poll after its end bills it. */
export const poll: Handler = Effect.fnUntraced(function* (request, { parameters }) {
  const now = yield* Clock.currentTimeMillis
  const request_id = requestIdOf(request, now)
  const id = parameters["task_id"] ?? ""
  const task = Task.Id.open(id)
  const task_status = task === undefined ? "UNKNOWN" : Task.statusAt(task, now)
  if (task === undefined || task_status === "UNKNOWN") {
    const unknown: VideoTask = { output: { task_id: id, task_status: "UNKNOWN" }, request_id }
    return { operation: operation.id, body: unknown, billed: {} }
  }
  const memory = yield* Memory
  const { billed, usage } = costOf(task_status, task)
  const body: VideoTask = {
    output: {
      task_id: id,
      task_status,
      ...timesOf(task_status, task),
      ...detailsOf(task_status, task, id, memory.prompts.get(id) ?? promptLost, originOf(request))
    },
    ...(usage === undefined ? {} : { usage }),
    request_id
  }
  if (usage === undefined || memory.billed.has(id)) return { operation: operation.id, body, billed: {} }
  remember(memory.billed, id, true, mostBilled)
  return { operation: videoCreate.id, body, billed }
})

/** Refuses a poll without an id in the path. */
export const pollWithoutId: Handler = Effect.fnUntraced(function* (request) {
  const request_id = requestIdOf(request, yield* Clock.currentTimeMillis)
  const query = yield* Query.of(request)
  return query.has("task_id")
    ? refuse(operation.id, 500, "InternalError", "unsupported uri", request_id)
    : refuse(operation.id, 404, "NotFound", "task_id is required in the path", request_id)
})
