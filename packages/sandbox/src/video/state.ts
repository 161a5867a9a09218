import type { TaskStatus } from "@tollgate/contract/Task"
import type { Task } from "./TaskId.ts"

/** Waiting takes this share of a task's time. */
const queued = 0.2

/** How long after its end a task is known. */
const known = 86_400_000

export const startOf = ({ created, duration }: Task): number => created + Math.floor(duration * queued)

export const endOf = ({ created, duration }: Task): number => created + duration

export const statusAt = (task: Task, now: number): TaskStatus => {
  if (now < startOf(task)) return "PENDING"
  if (now < endOf(task) || task.ending === "never") return "RUNNING"
  if (now >= endOf(task) + known) return "UNKNOWN"
  switch (task.ending) {
    case "succeeds":
      return "SUCCEEDED"
    case "fails":
      return "FAILED"
    case "expires":
      return "UNKNOWN"
    default:
      return "CANCELED"
  }
}
