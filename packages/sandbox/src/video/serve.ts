import { type Handler, InvalidInput } from "../BilledAnswer.ts"
import { poll, pollWithoutId } from "./poll.ts"
import { videoCreate as operation } from "@tollgate/contract/operations/videoCreate"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { remember } from "../data/Memory.ts"
import * as Task from "./Task.ts"
import { Memory } from "./Task.ts"
import { refuse, requestIdOf } from "./wire.ts"
import * as Query from "../data/query.ts"
import { clip, extension, isValid } from "./clip.ts"

const model = "sandbox-video"

const mostPrompts = 1_000
const maxPromptLength = 8_000

const decode = Schema.decodeUnknownOption(operation.request.body)

/** Starts a task. It is billed when a poll first reports its end. */
const create: Handler = Effect.fnUntraced(function* (request) {
  const now = yield* Clock.currentTimeMillis
  const request_id = requestIdOf(request, now)
  const invalid = (message: string) => refuse(operation.id, 400, "InvalidParameter", message, request_id)
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
  return { operation: operation.id, body: answer, billed: {} }
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
    return yield* new InvalidInput({ message: "no such video", status: 404, code: "not_found" })
  }
  if (!isValid(id, query.get("expires") ?? "", query.get("signature") ?? "", now)) {
    return yield* new InvalidInput({
      message: "the URL has expired or its signature is wrong",
      status: 403,
      code: "expired"
    })
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

/** By method and path. */
export const table: Readonly<Record<string, Handler>> = {
  "POST /apis/v1/services/aigc/video-generation/video-synthesis": create,
  "GET /apis/v1/services/aigc/tasks": pollWithoutId,
  "GET /apis/v1/services/aigc/tasks/{task_id}": poll,
  "GET /videos/{file}": serve
}
