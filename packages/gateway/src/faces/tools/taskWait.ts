import { taskGet } from "@tollgate/contract/operations/taskGet"
import { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { isFinal } from "@tollgate/contract/Task"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseJson } from "../../internal/parseJson.ts"
import type { WholeReply } from "../../exchange/Reply.ts"
import type { Caller } from "./Caller.ts"
import { toRequest } from "./catalogue/arguments.ts"
import { run } from "./pipeline.ts"
import type { Progress } from "./progress.ts"
import type { Used } from "./shapes.ts"

const decode = Schema.decodeUnknownOption(VideoTask)

interface Task {
  readonly id: string
  readonly status: VideoTask["output"]["task_status"]
}

/** The task in an answer. */
const taskIn = (body: unknown): Task | undefined =>
  Option.getOrUndefined(Option.map(decode(body), ({ output }) => ({ id: output.task_id, status: output.task_status })))

/** The state of the task in an answer's body, and how to go on with it. */
export const taskState = (body: unknown): Pick<Used, "task"> => {
  const task = taskIn(body)
  if (task === undefined) return {}
  const done = isFinal(task.status)
  const next = { operation_id: taskGet.id, arguments: { task_id: task.id } }
  return { task: { task_id: task.id, status: task.status, done, ...(done ? {} : { next }) } }
}

export interface Waiting {
  readonly seconds: number
  readonly pollMillis: number
}

/**
 * Polls a task until it ends or the time is up. Returns the last answer about it, `undefined` if there is none. Polls take
 * the path of every call, so they count as requests.
 */
export const waitForTask = Effect.fnUntraced(function* (
  caller: Caller,
  body: unknown,
  { pollMillis, seconds }: Waiting,
  progress: Progress
) {
  const operation = caller.gateway.catalogue.byId.get(taskGet.id)
  const created = taskIn(body)
  if (operation === undefined || created === undefined) return undefined
  const request = toRequest(operation, { task_id: created.id })
  if (Result.isFailure(request)) return undefined
  const call = { operation, ...request.success }
  const startedAt = yield* Clock.currentTimeMillis
  let last: WholeReply | undefined
  let task: Task = created
  let pause = pollMillis
  for (;;) {
    const elapsed = (yield* Clock.currentTimeMillis) - startedAt
    if (isFinal(task.status) || elapsed >= seconds * 1_000) return last
    yield* progress.report(elapsed / 1_000, `Task ${task.id} is ${task.status}`)
    yield* Effect.sleep(Math.min(pause, seconds * 1_000 - elapsed))
    const reply = yield* Effect.scoped(run(caller, call, {}))
    pause = pollMillis
    if (reply.kind === "refused") pause = Math.max(pollMillis, reply.refused.refusal.retryAfter ?? 0)
    if (reply.kind !== "whole") continue
    const seen = taskIn(Result.getOrUndefined(parseJson(reply.answer.bytes)))
    if (seen === undefined) continue
    last = reply
    task = seen
  }
})
