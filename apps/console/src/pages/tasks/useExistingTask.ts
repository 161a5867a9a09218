import { taskGet } from "@tollgate/browser"
import { isFinal } from "@tollgate/contract/Task"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { useLoad, useTask } from "@tollgate/react"
import { useCallback, useEffect, useMemo } from "react"

export interface ExistingTask {
  /** As it was seen last. `undefined`: not seen yet. */
  readonly task: VideoTask | undefined
  /** Why it is not watched any more, though it has not ended. */
  readonly error: unknown
  readonly watch: () => void
}

const polls = { firstMillis: 1_000, betweenMillis: [1_000, 2_000], timeout: "15 minutes" } as const

const hasEnded = (task: VideoTask | undefined): boolean => task !== undefined && isFinal(task.output.task_status)

/** A task that exists: asked for at once, then until it ends. */
export const useExistingTask = (id: string): ExistingTask => {
  const first = useLoad(useMemo(() => taskGet({ task_id: id }), [id]))
  const { error, progress, resume } = useTask()
  const watch = useCallback(() => resume(id, polls), [resume, id])
  const known = first.value
  const isAsked = first.state !== "loading"
  useEffect(() => {
    // A failure of the first request is left to the polls, which know what may pass.
    if (isAsked && !hasEnded(known)) watch()
  }, [isAsked, known, watch])
  // The polls end with an error if the task does, with what they saw.
  const ended = error !== undefined && "task" in error ? error.task : undefined
  const task = ended ?? progress?.task ?? known
  return { task, error: hasEnded(task) ? undefined : error, watch }
}
