import { attempt } from "@tollgate/contract/attempt"
import { read } from "@tollgate/contract/price/exact"
import { isFinal, TaskStatus } from "@tollgate/contract/Task"
import * as Timestamp from "@tollgate/contract/Timestamp"
import * as Predicate from "effect/Predicate"
import * as Utf8 from "@tollgate/contract/Utf8"
import { set } from "../../internal/jsonEdit.ts"
import type { Protocol, TaskProtocol, TaskReport, TaskRequest } from "../Protocol.ts"
import { fieldScanner } from "./fieldScanner.ts"
import { type Address, hasResult, type CustomTask, readCustomTask, unknownStatus } from "@tollgate/contract/CustomTask"
import { tryParse } from "../../internal/jsonValue.ts"
import { taskGet } from "@tollgate/contract/operations/taskGet"
import * as Schema from "effect/Schema"
import { json } from "./json.ts"

// What callers see of a task, whichever protocol its upstream speaks. The request id is added to each answer.

export const statusBody = (id: string, status: TaskStatus): string =>
  JSON.stringify({ output: { task_id: id, task_status: status } })

const isTime = (value: unknown): boolean => typeof value === "string" && Timestamp.parse(value) !== undefined

/** The report under the gateway's `id`. A time that is not in the contract's format is replaced, or left out. */
export const taskBody = (id: string, report: TaskReport, createdAt: number, now: number): string => {
  const times = {
    submit_time: createdAt,
    scheduled_time: undefined,
    end_time: isFinal(report.status) ? now : undefined
  }
  const output: Record<string, unknown> = { ...report.output, task_id: id }
  for (const [name, millis] of Object.entries(times)) {
    if (isTime(output[name])) continue
    if (millis === undefined) delete output[name]
    else output[name] = Timestamp.format(millis)
  }
  const body = JSON.stringify({ output, ...(Predicate.isObject(report.usage) ? { usage: report.usage } : {}) })
  return report.own === undefined ? body : Utf8.decode(set(Utf8.encode(body), customPath, report.own.shown(id)))
}

/** Where a body has the upstream's own answer, byte for byte, if it has a form of its own. */
const customPath = ["output", "answer"] as const

const customField = fieldScanner<"answer">({ members: { output: { members: { answer: { tag: "answer" } } } } })

/** The upstream's own answer in a body. `undefined`: there is none. */
export const customAnswerIn = (body: string): Uint8Array | undefined => {
  const bytes = Utf8.encode(body)
  let found: Uint8Array | undefined
  customField(bytes, 0, bytes.length, (_, start, end) => (found = bytes.subarray(start, end)))
  return found
}

/** Printable ASCII of a bounded length, and nothing that leads to another path. */
const isSafeId = (id: string): boolean => /^[\x21-\x7e]{1,256}$/.test(id) && id !== "." && id !== ".."

const setAt = (bytes: Uint8Array, [first = "", ...inner]: ReadonlyArray<string>, text: string): Uint8Array =>
  set(bytes, [first, ...inner], JSON.stringify(text))

/** The upstream's answer, with the gateway's id of the task in place of the upstream's. */
const shownAs = ({ id: at }: CustomTask, bytes: Uint8Array, id: string): Uint8Array =>
  read(tryParse(bytes), at) === undefined ? bytes : setAt(bytes, at, id)

const empty = Utf8.encode("{}")

/** A task of which nothing more is known, in the upstream's form. */
export const unknownAnswer = ({ id: at, status }: CustomTask, id: string): Uint8Array =>
  setAt(setAt(empty, at, id), status, unknownStatus)

const shownIn = (task: CustomTask, bytes: Uint8Array) => (id: string) => Utf8.decode(shownAs(task, bytes, id))

const requestTo = ({ method, path }: Address, id: string, requestId: string): TaskRequest => ({
  method,
  path: path.replaceAll("{id}", encodeURIComponent(id)),
  headers: { accept: "application/json", "accept-encoding": "identity", "x-request-id": requestId },
  body: undefined
})

/** Tasks in a form that an operator describes. */
export const customTaskProtocol = (task: CustomTask): TaskProtocol => ({
  // An answer that names a task has started it, whatever status it gives. Only a poll may finish a task.
  readCreated: ({ bytes }) => {
    const answer = tryParse(bytes)
    const { id } = readCustomTask(task, answer)
    if (id === undefined || !isSafeId(id)) return undefined
    return { id, status: "PENDING", output: { task_status: "PENDING" }, own: { answer, shown: shownIn(task, bytes) } }
  },
  createdAnswer: (answer, id) => ({ ...answer, bytes: shownAs(task, answer.bytes, id) }),
  pollRequest: (id, requestId) => requestTo(task.poll, id, requestId),
  readPoll: (bytes, asked) => {
    const answer = tryParse(bytes)
    // The address names the task, so that an answer need not.
    const { id = asked, status } = readCustomTask(task, answer)
    if (status === undefined || (status === "SUCCEEDED" && !hasResult(task, answer))) return undefined
    return { id, status, output: { task_status: status }, own: { answer, shown: shownIn(task, bytes) } }
  },
  cancelRequest: (id, requestId) => task.cancel && requestTo(task.cancel, id, requestId)
})

type Fields = Readonly<Record<string, unknown>>

const isStatus = Schema.is(TaskStatus)

/** Printable ASCII of a bounded length, so that an id is safe in a path. */
const idPattern = /^[\x21-\x7e]{1,256}$/

const parse = (bytes: Uint8Array): Fields | undefined =>
  attempt(() => {
    const value: unknown = JSON.parse(Utf8.decodeStrict(bytes))
    return Predicate.isObject(value) ? value : undefined
  })

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
