import { videoCreate as operation } from "@tollgate/contract/operations/videoCreate"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Handler } from "../BilledAnswer.ts"
import { remember } from "../data/Memory.ts"
import { Memory } from "./Memory.ts"
import * as Task from "./Task.ts"
import { refuse, requestIdOf } from "./wire.ts"

export const model = "sandbox-video"

const mostPrompts = 1_000
const maxPromptLength = 8_000

const decode = Schema.decodeUnknownOption(operation.request.body)

/** Starts a task. It is billed when a poll first reports its end. */
export const create: Handler = Effect.fnUntraced(function* (request) {
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
  const task_id = Task.write({ ...Task.parsePrompt(prompt), created: now, number: ++memory.count })
  remember(memory.prompts, task_id, prompt, mostPrompts)
  const answer: VideoTask = { output: { task_id, task_status: "PENDING" }, request_id }
  return { operation: operation.id, body: answer, billed: {} }
})
