import type { MicroUsd } from "@tollgate/contract/Money"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { polling, type TaskStatus } from "@tollgate/contract/Task"
import * as Timestamp from "@tollgate/contract/Timestamp"
import * as Duration from "effect/Duration"
import type { Video } from "./Step.ts"

interface Task {
  readonly id: string
  readonly video: Video
  readonly prompt: string
  readonly submittedAt: number
  readonly scheduledAt: number
  readonly endsAt: number
  /** Charged if the task succeeds. */
  readonly cost: MicroUsd | undefined
  readonly requestId: string
}

const statusOf = ({ endsAt, scheduledAt, video }: Task, now: number): TaskStatus => {
  if (now < scheduledAt) return "PENDING"
  return video.ends === "never" || now < endsAt ? "RUNNING" : video.ends
}

const endOf = ({ id, prompt, video }: Task, status: TaskStatus): Partial<VideoTask["output"]> => {
  const { code = "InternalError.Generation", message, url = `https://videos.invalid/${id}.mp4` } = video
  switch (status) {
    case "SUCCEEDED":
      return { video_url: url, orig_prompt: prompt }
    case "FAILED":
      return { code, message: message ?? "The video could not be generated." }
    case "CANCELED":
      return { message: message ?? "The task was canceled." }
    default:
      return {}
  }
}

const isOver = (status: TaskStatus): boolean => status !== "PENDING" && status !== "RUNNING"

/** Video tasks whose state depends only on the test's clock. */
export class Tasks {
  readonly #tasks = new Map<string, Task>()
  readonly #polls = new Map<string, number>()

  begin(video: Video, given: Pick<Task, "prompt" | "cost" | "requestId"> & { readonly at: number }): VideoTask {
    const { at, ...rest } = given
    const id = `task_${this.#tasks.size + 1}`
    const scheduledAt = at + Duration.toMillis(video.queued)
    const endsAt = scheduledAt + Duration.toMillis(video.takes)
    this.#tasks.set(id, { id, video, submittedAt: at, scheduledAt, endsAt, ...rest })
    return this.report(id, at, given.requestId)
  }

  /** Milliseconds until the task may be polled; 0 means now. As in the gateway, one poll may come early. */
  wait(id: string, now: number): number {
    const next = Math.max(now, this.#polls.get(id) ?? 0)
    if (next - now > polling.floorMillis) return next - now - polling.floorMillis
    this.#polls.set(id, next + polling.floorMillis)
    return 0
  }

  report(id: string, now: number, request_id: string): VideoTask {
    const task = this.#tasks.get(id)
    if (task === undefined) return { output: { task_id: id, task_status: "UNKNOWN" }, request_id }
    const status = statusOf(task, now)
    return {
      output: {
        task_id: id,
        task_status: status,
        submit_time: Timestamp.format(task.submittedAt),
        ...(status === "PENDING" ? {} : { scheduled_time: Timestamp.format(task.scheduledAt) }),
        ...(isOver(status) ? { end_time: Timestamp.format(task.endsAt) } : {}),
        ...endOf(task, status)
      },
      ...(status === "SUCCEEDED" ? { usage: { output_video_duration: 5, video_count: 1, SR: 720 } } : {}),
      request_id
    }
  }

  /** The charges of tasks that have succeeded by now, polled or not. */
  succeeded(
    now: number
  ): ReadonlyArray<{ readonly requestId: string; readonly at: number; readonly micros: MicroUsd }> {
    return [...this.#tasks.values()].flatMap((task) =>
      task.cost !== undefined && statusOf(task, now) === "SUCCEEDED"
        ? [{ requestId: task.requestId, at: task.endsAt, micros: task.cost }]
        : []
    )
  }
}
