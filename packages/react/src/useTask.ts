import type {
  Abortable,
  PromiseClient,
  PromiseGenerateVideoOptions,
  VideoCreateInput,
  VideoTask
} from "@tollgate/browser"
import { useMemo } from "react"
import { type Defect, type Failure, useCell, type Writer } from "./Cell.ts"
import { useClient } from "./TollgateProvider.ts"

type VideoClient = Pick<PromiseClient, "videoCreate" | "videoProgress">
type Progress = ReturnType<PromiseClient["videoProgress"]> extends AsyncIterable<infer A> ? A : never
type GenerateVideoOptions = Omit<PromiseGenerateVideoOptions, keyof Abortable>
type VideoOptions = Omit<NonNullable<Parameters<PromiseClient["videoProgress"]>[1]>, keyof Abortable>

interface Known {
  /** Known once the task is created. Keep it to resume after a reload. */
  readonly taskId: string | undefined
  /** As of the last poll. */
  readonly progress: Progress | undefined
}

/** `stopped`: by `stop()` or by unmounting. A task that was created goes on and is charged. */
export type TaskState<E = Failure> = Known &
  (
    | {
        readonly state: "idle" | "creating" | "running" | "stopped"
        readonly result: undefined
        readonly error: undefined
      }
    | { readonly state: "done"; readonly result: VideoTask; readonly error: undefined }
    | { readonly state: "failed"; readonly result: undefined; readonly error: E | Defect }
  )

export type UseTask<E = Failure> = TaskState<E> & {
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
const stopped = <E>({ progress, taskId }: TaskState<E>): TaskState<E> => ({
  ...none,
  taskId,
  progress,
  state: "stopped"
})

const failed = <E>(error: E | Defect, { progress, taskId }: TaskState<E>): TaskState<E> => ({
  ...none,
  taskId,
  progress,
  state: "failed",
  error
})

const done = <E>(_: void, { progress, taskId }: TaskState<E>): TaskState<E> =>
  // Waiting ends without an error only after a poll that saw the result.
  progress === undefined ? idle : { ...none, taskId, progress, state: "done", result: progress.task }

export const useVideo = <E>(client: VideoClient): UseTask<E> => {
  const [state, cell] = useCell<TaskState<E>>(idle, stopped)
  const actions = useMemo(() => {
    const wait = async (
      taskId: string,
      options: VideoOptions | undefined,
      { write }: Writer<TaskState<E>>,
      signal: AbortSignal
    ) => {
      write({ ...none, taskId, state: "running" })
      for await (const progress of client.videoProgress(taskId, { ...options, signal }))
        write({ ...none, taskId, progress, state: "running" })
    }
    return {
      start: (input: VideoCreateInput, options: GenerateVideoOptions = {}) => {
        if (cell.read().state === "creating") return
        cell.start<void, E>({
          begin: { ...none, state: "creating" },
          run: async (writer, signal) => {
            // Those of waiting are no options of a call.
            const {
              betweenMillis: _,
              firstMillis: _first,
              timeout: _timeout,
              unknownMillis: _unknown,
              ...create
            } = options
            const { output } = await client.videoCreate(input, { ...create, signal })
            await wait(output.task_id, options, writer, signal)
          },
          done,
          failed
        })
      },
      resume: (taskId: string, options?: VideoOptions) =>
        cell.start<void, E>({
          begin: { ...none, taskId, state: "running" },
          run: (writer, signal) => wait(taskId, options, writer, signal),
          done,
          failed
        }),
      stop: cell.stop
    }
  }, [cell, client])
  return { ...state, ...actions }
}

/** A video: created, and polled until it is there. */
export const useTask = (): UseTask => useVideo(useClient())
