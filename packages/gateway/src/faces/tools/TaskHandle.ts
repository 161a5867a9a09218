import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Tasks } from "../../call/task/Tasks.ts"
import type { Caller } from "./Caller.ts"
import type { Fields } from "./inputs.ts"
import { nameOf } from "./TaskName.ts"

// The extension of MCP by which a call is answered with a task that the client polls.

export const extension = "io.modelcontextprotocol/tasks"
const capabilities = "io.modelcontextprotocol/clientCapabilities"

const fieldOf = (value: unknown, name: string): unknown =>
  Predicate.hasProperty(value, name) ? value[name] : undefined

/** Whether the client says in this message that it knows the extension. */
export const declaresTasks = (metadata: unknown): boolean =>
  Predicate.isObject(fieldOf(fieldOf(fieldOf(metadata, capabilities), "extensions"), extension))

/** What a client is told of every task. */
export interface TaskFields {
  readonly taskId: string
  readonly status: "working" | "completed" | "cancelled"
  readonly statusMessage: string
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** From its creation. */
  readonly ttlMs: number
  readonly pollIntervalMs: number
}

type Term = NonNullable<Effect.Success<ReturnType<Tasks["Service"]["find"]>>>

const time = (millis: number): string => new Date(millis).toISOString()

export const taskFields = (
  taskId: string,
  status: TaskFields["status"],
  statusMessage: string,
  { createdAt, endedAt, expiresAt }: Term,
  updatedAt: number,
  pollIntervalMs: number
): TaskFields => ({
  taskId,
  status,
  statusMessage,
  createdAt: time(createdAt),
  lastUpdatedAt: time(endedAt ?? updatedAt),
  ttlMs: expiresAt - createdAt,
  pollIntervalMs
})

/** The answer to a call whose result the client gets by `tasks/get`. */
export class TaskHandle {
  readonly fields: TaskFields

  constructor(fields: TaskFields) {
    this.fields = fields
  }
}

/** The handle of a task that a call has started. `undefined`: it cannot be polled, because it is not stored any more. */
export const handleOf = Effect.fnUntraced(function* (
  { authenticated: { principal } }: Caller,
  tasks: Tasks["Service"],
  { status, task_id: id }: { readonly status: string; readonly task_id: string },
  fields: Fields,
  pollMillis: number
) {
  const term = principal && (yield* Effect.orElseSucceed(tasks.find(principal, id), () => undefined))
  if (term === undefined) return undefined
  const now = yield* Clock.currentTimeMillis
  return new TaskHandle(taskFields(nameOf(id, fields), "working", `The task is ${status}.`, term, now, pollMillis))
})
