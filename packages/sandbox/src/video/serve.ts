import { taskGet } from "@tollgate/contract/operations/taskGet"
import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import type { TaskStatus } from "@tollgate/contract/Task"
import * as Timestamp from "@tollgate/contract/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type BilledAnswer, type Counts, type Handler, refusedWith } from "../BilledAnswer.ts"
import { Memory, remember } from "../data/Memory.ts"
import * as Query from "../data/query.ts"
import { check } from "../SeededRandom.ts"
import { addressOf, clip, extension, isValid } from "./clip.ts"
import * as Task from "./Task.ts"

/** The caller's request id, or one made from the request and the time. */
const requestIdOf = (request: HttpServerRequest, now: number): string =>
  request.headers["x-request-id"] ?? `sandbox-${check(`${now} ${request.method} ${request.url}`)}`

const refuse = (
  operation: string,
  status: number,
  code: string,
  message: string,
  request_id: string
): BilledAnswer => ({
  operation,
  status,
  body: { code, message, request_id },
  billed: {}
})

const model = "sandbox-video"

const mostPrompts = 1_000
const maxPromptLength = 8_000

const decode = Schema.decodeUnknownOption(videoCreate.request.body)

/** Starts a task. It is billed when a poll first reports its end. */
const create: Handler = Effect.fnUntraced(function* (request) {
  const now = yield* Clock.currentTimeMillis
  const request_id = requestIdOf(request, now)
  const invalid = (message: string) => refuse(videoCreate.id, 400, "InvalidParameter", message, request_id)
  const body = Option.flatMap(
    Option.fromUndefinedOr(yield* request.json.pipe(Effect.orElseSucceed(() => undefined))),
    decode
  )
  if (Option.isNone(body)) return invalid("model and input.prompt are required")
  const { prompt } = body.value.input
  if (body.value.model !== model) return invalid(`model must be ${model}`)
  if (prompt.trim() === "") return invalid("input.prompt is empty")
  if (prompt.length > maxPromptLength) return invalid(`input.prompt has more than ${maxPromptLength} characters`)
  const memory = yield* Memory
  const task_id = Task.Id.seal({ ...Task.parsePrompt(prompt), created: now, number: ++memory.count })
  remember(memory.prompts, task_id, prompt, mostPrompts)
  const answer: VideoTask = { output: { task_id, task_status: "PENDING" }, request_id }
  return { operation: videoCreate.id, body: answer, billed: {} }
})

const mostBilled = 10_000

const promptLost = "(the prompt was lost when the sandbox restarted)"

/** The cost of a task's end, and the usage that proves it. A failed task costs nothing. */
const costOf = (status: TaskStatus, task: Task.Task): { billed: Counts; usage?: VideoTask["usage"] } => {
  if (status === "SUCCEEDED") {
    return { billed: { tasks: 1 }, usage: { output_video_duration: clip.seconds, video_count: 1, SR: clip.height } }
  }
  if (status === "CANCELED" && task.ending === "canceled half") {
    return {
      billed: { halves: 1 },
      usage: { output_video_duration: clip.seconds / 2, video_count: 0, SR: clip.height }
    }
  }
  return { billed: {} }
}

const detailsOf = (status: TaskStatus, task: Task.Task, id: string, prompt: string, origin: string) => {
  switch (status) {
    case "SUCCEEDED":
      return { video_url: addressOf(origin, id, Task.endOf(task)), orig_prompt: prompt }
    case "FAILED":
      return { code: "InternalError.Generation", message: "The video could not be generated, as the prompt asked." }
    case "CANCELED":
      return { message: "The task was canceled, as the prompt asked." }
    default:
      return {}
  }
}

const timesOf = (status: TaskStatus, task: Task.Task) => ({
  submit_time: Timestamp.format(task.created),
  ...(status === "PENDING" ? {} : { scheduled_time: Timestamp.format(Task.startOf(task)) }),
  ...(status === "PENDING" || status === "RUNNING" ? {} : { end_time: Timestamp.format(Task.endOf(task)) })
})

/** Reports a task's status, from the clock and the id alone. The first poll after its end bills it. */
const poll: Handler = Effect.fnUntraced(function* (request, { parameters }) {
  const now = yield* Clock.currentTimeMillis
  const request_id = requestIdOf(request, now)
  const id = parameters["task_id"] ?? ""
  const task = Task.Id.open(id)
  const task_status = task === undefined ? "UNKNOWN" : Task.statusAt(task, now)
  if (task === undefined || task_status === "UNKNOWN") {
    const unknown: VideoTask = { output: { task_id: id, task_status: "UNKNOWN" }, request_id }
    return { operation: taskGet.id, body: unknown, billed: {} }
  }
  const memory = yield* Memory
  const { billed, usage } = costOf(task_status, task)
  const body: VideoTask = {
    output: {
      task_id: id,
      task_status,
      ...timesOf(task_status, task),
      ...detailsOf(task_status, task, id, memory.prompts.get(id) ?? promptLost, Query.originOf(request))
    },
    ...(usage === undefined ? {} : { usage }),
    request_id
  }
  if (usage === undefined || memory.billed.has(id)) return { operation: taskGet.id, body, billed: {} }
  remember(memory.billed, id, true, mostBilled)
  return { operation: videoCreate.id, body, billed }
})

/** Refuses a poll without an id in the path. */
const pollWithoutId: Handler = Effect.fnUntraced(function* (request) {
  const request_id = requestIdOf(request, yield* Clock.currentTimeMillis)
  const query = yield* Query.of(request)
  return query.has("task_id")
    ? refuse(taskGet.id, 500, "InternalError", "unsupported uri", request_id)
    : refuse(taskGet.id, 404, "NotFound", "task_id is required in the path", request_id)
})

type Range =
  | { readonly kind: "all" }
  | { readonly kind: "part"; readonly first: number; readonly last: number }
  /** The range is outside the file. */
  | { readonly kind: "none" }

const shape = /^bytes=(\d{0,15})-(\d{0,15})$/i

/** Parses a Range header. One with several ranges, or an invalid one, is ignored. */
export const rangeOf = (header: string | undefined, size: number): Range => {
  const match = shape.exec(header?.trim() ?? "")
  if (match === null) return { kind: "all" }
  const [, from = "", to = ""] = match
  if (from === "") {
    if (to === "") return { kind: "all" }
    return Number(to) === 0 ? { kind: "none" } : { kind: "part", first: Math.max(0, size - Number(to)), last: size - 1 }
  }
  const first = Number(from)
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== "" && Number(to) < first) return { kind: "all" }
  return first >= size ? { kind: "none" } : { kind: "part", first, last }
}

/** Serves the video of a task that succeeded, which is always the same clip. */
const serve: Handler = Effect.fnUntraced(function* (request, { parameters }) {
  const now = yield* Clock.currentTimeMillis
  const query = yield* Query.of(request)
  const file = parameters["file"] ?? ""
  const id = file.endsWith(extension) ? file.slice(0, -extension.length) : ""
  const task = Task.Id.open(id)
  if (task === undefined || Task.statusAt(task, now) !== "SUCCEEDED") {
    return yield* refusedWith(404, "not_found", "no such video")
  }
  if (!isValid(id, query.get("expires") ?? "", query.get("signature") ?? "", now)) {
    return yield* refusedWith(403, "expired", "the URL has expired or its signature is wrong")
  }
  const range = rangeOf(request.headers["range"], clip.bytes.length)
  const answer = { operation: "video.file", contentType: clip.contentType, billed: {} }
  const always = { "accept-ranges": "bytes", "cache-control": "private, max-age=3600" }
  switch (range.kind) {
    case "all":
      return { ...answer, headers: always, bytes: clip.bytes }
    case "none": {
      const headers = { ...always, "content-range": `bytes */${clip.bytes.length}` }
      return { ...answer, status: 416, headers, bytes: new Uint8Array() }
    }
    case "part": {
      const { first, last } = range
      const headers = { ...always, "content-range": `bytes ${first}-${last}/${clip.bytes.length}` }
      return { ...answer, status: 206, headers, bytes: clip.bytes.slice(first, last + 1) }
    }
  }
})

export const table: Readonly<Record<string, Handler>> = {
  "POST /apis/v1/services/aigc/video-generation/video-synthesis": create,
  "GET /apis/v1/services/aigc/tasks": pollWithoutId,
  "GET /apis/v1/services/aigc/tasks/{task_id}": poll,
  "GET /videos/{file}": serve
}
