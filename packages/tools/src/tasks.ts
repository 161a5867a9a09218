import type { Bound } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import { readCustomTask } from "@tollgate/contract/CustomTask"
import { isFinal } from "@tollgate/contract/Task"
import { taskGet } from "@tollgate/contract/operations/taskGet"
import { VideoTask } from "@tollgate/contract/resources/VideoTask"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Tasks } from "@tollgate/gateway/call/task/Tasks"
import type { WholeReply } from "@tollgate/gateway/exchange/Reply"
import { getPath, parseJson } from "@tollgate/gateway/endpoint"
import type { Caller, Progress } from "./Caller.ts"
import { toRequest } from "@tollgate/gateway/endpoints/catalogue/arguments"
import { run } from "./pipeline.ts"
import { taskFailed, taskGivenUp, taskNotKnown } from "./refusal.ts"
import type { ToolError, Used } from "./shapes.ts"

// The extension of MCP by which a call is answered with a task that the client polls.

export const extension = "io.modelcontextprotocol/tasks"
/** Where a message without a session says what its client can do. */
export const capabilities = "io.modelcontextprotocol/clientCapabilities"

/** Whether the client says in this message that it knows the extension. */
export const declaresTasks = (metadata: unknown): boolean =>
  Predicate.isObject(getPath(metadata, capabilities, "extensions", extension))

type Term = NonNullable<Effect.Success<ReturnType<Tasks["Service"]["find"]>>>

const time = (millis: number): string => new Date(millis).toISOString()

/** What a client is told of every task. The time to live counts from its creation. */
export const taskFields = (
  taskId: string,
  status: "working" | "completed" | "cancelled",
  statusMessage: string,
  { createdAt, endedAt, expiresAt }: Term,
  updatedAt: number,
  pollIntervalMs: number
) => ({
  taskId,
  status,
  statusMessage,
  createdAt: time(createdAt),
  lastUpdatedAt: time(endedAt ?? updatedAt),
  ttlMs: expiresAt - createdAt,
  pollIntervalMs
})

/** The answer to a call whose result the client gets by `tasks/get`. */
export class TaskHandle extends Data.Class<{ readonly fields: ReturnType<typeof taskFields> }> {}

/** The handle of a task that a call has started. `undefined`: it cannot be polled, because it is not stored any more. */
export const handleOf = Effect.fnUntraced(function* (
  { authenticated: { principal } }: Caller,
  tasks: Tasks["Service"],
  { status, task_id: id }: { readonly status: string; readonly task_id: string },
  pollMillis: number
) {
  const term = principal && (yield* Effect.orElseSucceed(tasks.find(principal, id), () => undefined))
  if (term === undefined) return undefined
  const now = yield* Clock.currentTimeMillis
  return new TaskHandle({ fields: taskFields(id, "working", `The task is ${status}.`, term, now, pollMillis) })
})

const decode = Schema.decodeUnknownOption(VideoTask)

interface Task {
  readonly id: string
  readonly status: VideoTask["output"]["task_status"]
}

const taskIn = ({ ofTask, task: started }: Bound, body: unknown): Task | undefined => {
  const own = started ?? ofTask?.task
  if (own !== undefined) {
    const { id, status = "PENDING" } = readCustomTask(own, body)
    return id === undefined ? undefined : { id, status }
  }
  return Option.getOrUndefined(
    Option.map(decode(body), ({ output }) => ({ id: output.task_id, status: output.task_status }))
  )
}

/** The operation that tells of the tasks that this one starts, or cancels them. */
export const operationOfTask = (
  { gateway: { catalogue } }: Caller,
  { id, ofTask, task }: Bound,
  does: "get" | "cancel" = "get"
): Bound | undefined => {
  if (task === undefined && ofTask === undefined) return does === "get" ? catalogue.byId.get(taskGet.id) : undefined
  return catalogue.bound.find((other) => other.ofTask?.does === does && other.ofTask.create === (ofTask?.create ?? id))
}

export const startsTasks = ({ limit }: Bound): boolean => limit.tasks !== undefined

/** Whether its answers tell of a task. */
export const isAboutTask = (operation: Bound): boolean =>
  startsTasks(operation) || operation.ofTask !== undefined || operation.id === taskGet.id

/** The state of the task in an answer's body, and how to go on with it. */
export const taskState = (caller: Caller, operation: Bound, { bytes }: WholeReply["answer"]): Pick<Used, "task"> => {
  const task = taskIn(operation, Result.getOrUndefined(parseJson(bytes)))
  if (task === undefined) return {}
  const done = isFinal(task.status)
  const next = { operation_id: operationOfTask(caller, operation)?.id ?? taskGet.id, arguments: { task_id: task.id } }
  return { task: { task_id: task.id, status: task.status, done, ...(done ? {} : { next }) } }
}

/** Why nothing more is to be expected of a task, if it did not succeed. */
export const taskError = (
  { id }: Bound,
  { status }: NonNullable<Used["task"]>,
  { state }: Charge
): ToolError | undefined => {
  if (status === "FAILED") return taskFailed
  if (state === "unknown") return taskGivenUp
  return status === "UNKNOWN" && id === taskGet.id ? taskNotKnown : undefined
}

export interface Waiting {
  readonly seconds: number
  readonly pollMillis: number
}

/** Polls until the task ends or time is up. Returns the last answer about it. Polls count as requests. */
export const waitForTask = Effect.fnUntraced(function* (
  caller: Caller,
  started: Bound,
  created: Used["task"],
  { pollMillis, seconds }: Waiting,
  progress: Progress
) {
  const operation = operationOfTask(caller, started)
  if (operation === undefined || created === undefined) return undefined
  const request = toRequest(operation, { task_id: created.task_id })
  if (Result.isFailure(request)) return undefined
  const call = { operation, ...request.success }
  const startedAt = yield* Clock.currentTimeMillis
  let last: WholeReply | undefined
  let { done: isDone, status }: { done: boolean; status: string } = created
  let pause = pollMillis
  for (;;) {
    const elapsed = (yield* Clock.currentTimeMillis) - startedAt
    if (isDone || elapsed >= seconds * 1_000) return last
    yield* progress.report(elapsed / 1_000, `Task ${created.task_id} is ${status}`)
    yield* Effect.sleep(Math.min(pause, seconds * 1_000 - elapsed))
    const reply = yield* Effect.scoped(run(caller, call, {}))
    pause = pollMillis
    if (reply.kind === "refused") pause = Math.max(pollMillis, reply.refused.refusal.retryAfter ?? 0)
    if (reply.kind !== "whole") continue
    const seen = taskIn(operation, Result.getOrUndefined(parseJson(reply.answer.bytes)))
    if (seen === undefined) continue
    last = reply
    status = seen.status
    isDone = isFinal(seen.status) || reply.charge.state === "unknown"
  }
})
