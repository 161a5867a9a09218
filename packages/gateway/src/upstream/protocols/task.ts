import { taskGet } from "@tollgate/contract/operations/taskGet"
import { TaskStatus } from "@tollgate/contract/Task"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { set } from "../../internal/jsonEdit.ts"
import type { Protocol, TaskProtocol, TaskReport } from "../Protocol.ts"
import { json } from "./json.ts"

type Fields = Readonly<Record<string, unknown>>

const isStatus = Schema.is(TaskStatus)

/** Printable ASCII of a bounded length, so that an id is safe in a path. */
const idPattern = /^[\x21-\x7e]{1,256}$/

const parse = (bytes: Uint8Array): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(Utf8.decodeStrict(bytes))
    return Predicate.isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const readTask = (bytes: Uint8Array): Omit<TaskReport, "status"> | undefined => {
  const body = parse(bytes)
  const output = body?.["output"]
  if (!Predicate.isObject(output)) return undefined
  const id = output["task_id"]
  return typeof id === "string" && idPattern.test(id) ? { id, output, usage: body?.["usage"] } : undefined
}

/** The contract's own task shape: `output.task_id`, `output.task_status`, `usage`, polled at the path of `task.get`. */
export const taskProtocol: TaskProtocol = {
  // An answer that names a task has started it, whatever status it gives. Only a poll may finish a task.
  readCreated: ({ bytes }) => {
    const task = readTask(bytes)
    if (task === undefined) return undefined
    const status = task.output["task_status"] === "RUNNING" ? "RUNNING" : "PENDING"
    return { id: task.id, status, output: { task_status: status } }
  },

  createdAnswer: (answer, id, requestId) => {
    const bytes = set(answer.bytes, ["output", "task_id"], JSON.stringify(id))
    const hasRequestId = typeof parse(bytes)?.["request_id"] === "string"
    return { ...answer, bytes: hasRequestId ? bytes : set(bytes, ["request_id"], JSON.stringify(requestId)) }
  },

  pollRequest: (id, requestId) => ({
    method: "GET",
    path: (taskGet.path ?? "").replace("{task_id}", encodeURIComponent(id)),
    headers: { accept: "application/json", "accept-encoding": "identity", "x-request-id": requestId },
    body: undefined
  }),

  // A success without a video is no success: the caller would pay for nothing.
  readPoll: (body) => {
    const task = readTask(body)
    if (task === undefined) return undefined
    const { task_status: status, video_url: video } = task.output
    if (!isStatus(status)) return undefined
    return status === "SUCCEEDED" && (typeof video !== "string" || video === "") ? undefined : { ...task, status }
  }
}

/** A create is sent like any JSON call. The task it starts is polled until it ends. */
export const task: Protocol = { ...json, id: "task", task: taskProtocol }
