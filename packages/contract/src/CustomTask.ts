import type { FieldPath } from "./price/Amount.ts"
import { read } from "./price/exact.ts"
import type { TaskStatus } from "./Task.ts"

/** An address of the upstream's, with `{id}` for its id of the task. */
export interface Address {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly path: string
}

/** How an upstream starts, reports and cancels tasks, if it has a form of its own. */
export interface CustomTask {
  /** Where its answers have the id of the task. */
  readonly id: FieldPath
  /** Where its answers have the status. */
  readonly status: FieldPath
  /** Its words for the ends of a task. Any other word means that the task runs. */
  readonly ends: Readonly<Record<"SUCCEEDED" | "FAILED" | "CANCELED", ReadonlyArray<string>>>
  /** What a task that succeeded must have, so that nobody pays for nothing. */
  readonly result?: FieldPath
  readonly poll: Address
  readonly cancel?: Address
}

/** An operation that looks after the tasks of another one. */
export interface OfTask {
  /** The id of the operation that starts them. */
  readonly create: string
  readonly does: "get" | "cancel"
  readonly task: CustomTask
}

interface TaskState {
  /** `undefined`: the answer names none. */
  readonly id: string | undefined
  /** `undefined`: the answer has no status. */
  readonly status: TaskStatus | undefined
}

/** A number that JavaScript rounds is no word: as an id it would name another task. */
const wordAt = (answer: unknown, path: FieldPath): string | undefined => {
  const value = read(answer, path)
  return typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value)
    ? String(value)
    : undefined
}

/** The status that callers see of a task that was given up. */
export const unknownStatus = "UNKNOWN"

const statusOf = (word: string | undefined, { ends }: CustomTask): TaskStatus | undefined => {
  if (word === undefined || word === "") return undefined
  if (ends.SUCCEEDED.includes(word)) return "SUCCEEDED"
  if (ends.FAILED.includes(word)) return "FAILED"
  if (ends.CANCELED.includes(word)) return "CANCELED"
  return word === unknownStatus ? "UNKNOWN" : "RUNNING"
}

/** Reads an answer of the upstream, or one in the same form. */
export const readCustomTask = (task: CustomTask, answer: unknown): TaskState => {
  const id = wordAt(answer, task.id)
  return { id: id === "" ? undefined : id, status: statusOf(wordAt(answer, task.status), task) }
}

/** Whether a task that says that it succeeded has what it was made for. */
export const hasResult = ({ result }: CustomTask, answer: unknown): boolean => {
  if (result === undefined) return true
  const value = read(answer, result)
  return value !== undefined && value !== null && value !== ""
}
