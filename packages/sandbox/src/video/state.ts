import type { TaskStatus } from "@tollgate/contract/Task"
import type { Task } from "./TaskId.ts"

/** The share of a task's duration that it is `PENDING`. */
const pendingShare = 0.2

/** How long a task is known after its end. */
const retention = 86_400_000

export const startOf = ({ created, duration }: Task): number => created + Math.floor(duration * pendingShare)

export const endOf = ({ created, duration }: Task): number => created + duration

export const statusAt = (task: Task, now: number): TaskStatus => {
  if (now < startOf(task)) return "PENDING"
  if (now < endOf(task) || task.ending === "never") return "RUNNING"
  if (now >= endOf(task) + retention) return "UNKNOWN"
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
