import {
  type GenerateVideoOptions,
  type Progress,
  videoCreate,
  type VideoCreateError,
  type VideoCreateInput,
  type VideoOptions,
  videoProgress
} from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { useMemo } from "react"
import { type Defect, useCell, type Writer } from "./Cell.ts"
import { useRunner } from "./TollgateProvider.ts"

type TaskError = VideoCreateError | Stream.Error<ReturnType<typeof videoProgress>>

interface Known {
  /** Known once the task is created. Keep it to resume after a reload. */
  readonly taskId: string | undefined
  /** As of the last poll. */
  readonly progress: Progress | undefined
}

/** `stopped`: by `stop()` or by unmounting. A task that was created goes on and is charged. */
export type TaskState = Known &
  (
    | {
        readonly state: "idle" | "creating" | "running" | "stopped"
        readonly result: undefined
        readonly error: undefined
      }
    | {
        readonly state: "done"
        readonly result: Progress["task"]
        readonly error: undefined
      }
    | {
        readonly state: "failed"
        readonly result: undefined
        readonly error: TaskError | Defect
      }
  )

export type UseTask = TaskState & {
  /**
   * Creates a video, which costs something, so call it from an event. It does nothing while another is being created. If that
   * fails with `OutcomeUnknown`, the same input with the error's `idempotencyKey` gets the first task.
   */
  readonly start: (input: VideoCreateInput, options?: GenerateVideoOptions) => void
  /** Waits for a task that exists. Costs nothing, so it may be called from an effect. */
  readonly resume: (taskId: string, options?: VideoOptions) => void
  /** Stops waiting. The task goes on. */
  readonly stop: () => void
}

const none = { taskId: undefined, progress: undefined, result: undefined, error: undefined }
const idle = { ...none, state: "idle" } as const
const stopped = ({ progress, taskId }: TaskState): TaskState => ({ ...none, taskId, progress, state: "stopped" })

const failed = (error: TaskError | Defect, { progress, taskId }: TaskState): TaskState => ({
  ...none,
  taskId,
  progress,
  state: "failed",
  error
})

const done = (_: void, { progress, taskId }: TaskState): TaskState =>
  // Waiting ends without an error only after a poll that saw the result.
  progress === undefined ? idle : { ...none, taskId, progress, state: "done", result: progress.task }

const wait = (taskId: string, options: VideoOptions | undefined, { write }: Writer<TaskState>) => {
  write({ ...none, taskId, state: "running" })
  return Stream.runForEach(videoProgress(taskId, options), (progress) =>
    Effect.sync(() => write({ ...none, taskId, progress, state: "running" }))
  )
}

/** A video: created, and polled until it is there. */
export const useTask = (): UseTask => {
  const runner = useRunner()
  const [state, cell] = useCell<TaskState>(idle, stopped)
  const actions = useMemo(
    () => ({
      start: (input: VideoCreateInput, options: GenerateVideoOptions = {}) => {
        if (cell.read().state === "creating") return
        cell.start(runner, {
          begin: { ...none, state: "creating" },
          effect: (writer) => {
            // Those of waiting are no options of a call.
            const {
              betweenMillis: _,
              firstMillis: _first,
              timeout: _timeout,
              unknownMillis: _unknown,
              ...create
            } = options
            return Effect.flatMap(videoCreate(input, create), ({ output }) => wait(output.task_id, options, writer))
          },
          done,
          failed
        })
      },
      resume: (taskId: string, options?: VideoOptions) =>
        cell.start(runner, {
          begin: { ...none, taskId, state: "running" },
          effect: (writer) => wait(taskId, options, writer),
          done,
          failed
        }),
      stop: cell.stop
    }),
    [cell, runner]
  )
  return { ...state, ...actions }
}
