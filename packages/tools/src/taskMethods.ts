import type { Bound } from "@tollgate/contract/Operation"
import { Refused } from "@tollgate/contract/errors/Refused"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type { Tasks } from "@tollgate/gateway/call/task/Tasks"
import type { Caller } from "./Caller.ts"
import { toRequest } from "@tollgate/gateway/endpoints/catalogue/arguments"
import type { Headers } from "./admission.ts"
import type { Reply } from "@tollgate/gateway/exchange/Reply"
import * as JsonRpc from "./jsonRpc.ts"
import type { Message } from "./messages.ts"
import { type Call, run } from "./pipeline.ts"
import { resultFields } from "./result.ts"
import { declaresTasks, extension, operationOfTask, taskFields } from "./tasks.ts"
import { endedTask } from "./use.ts"

const methods = new Set(["tasks/get", "tasks/update", "tasks/cancel"])

/** Whether a message is one of the extension's. */
export const isTaskMethod = (message: Message | undefined): message is Message & { id: JsonRpc.Id } =>
  message?.kind === "request" && methods.has(message.method ?? "")

/** Why a message is not carried out. */
class Invalid {
  readonly response: (id: JsonRpc.Id, headers: Readonly<Record<string, string>>) => HttpServerResponse

  constructor(status: number, code: number, message: string, data?: object) {
    this.response = (id, headers) => JsonRpc.error(status, code, message, headers, id, data)
  }
}

const { headerMismatch, invalidParams, missingCapability } = JsonRpc
const required = { requiredCapabilities: { extensions: { [extension]: {} } } }
const notDeclared = new Invalid(
  400,
  missingCapability,
  `The client did not declare the extension ${extension}.`,
  required
)
const otherName = new Invalid(400, headerMismatch, "The header Mcp-Name is not the taskId of the message.")
const noTask = new Invalid(200, invalidParams, "Your account has no task with this taskId, or it ended long ago.")

const complete = { resultType: "complete" }

/** Answers the methods of the extension. Each asks for the task as a call over HTTP does, so the same limits apply. */
export const taskMethods = (tasks: Tasks["Service"], pollMillis: number) => {
  /** The call of the operation that looks after the task. `undefined`: there is none in this configuration. */
  const callOf = (caller: Caller, started: Bound, does: "get" | "cancel", task_id: string): Call | undefined => {
    const operation = operationOfTask(caller, started, does)
    if (operation === undefined) return undefined
    const request = toRequest(operation, { task_id })
    return Result.isSuccess(request) ? { operation, ...request.success } : undefined
  }

  /** A client that polls faster than it was told waits, and again if others took the turn or the timer was early. */
  const runPaced = (caller: Caller, call: Call, waits = 3): Effect.Effect<Reply> =>
    Effect.flatMap(Effect.scoped(run(caller, call, {})), (reply) => {
      if (waits === 0 || reply.kind !== "refused" || reply.refused.limit !== "polls") return Effect.succeed(reply)
      const again = Effect.suspend(() => runPaced(caller, call, waits - 1))
      return Effect.delay(again, reply.refused.refusal.retryAfter ?? 0)
    })

  const find = Effect.fnUntraced(function* ({ authenticated: { principal }, gateway }: Caller, id: string) {
    const term = principal && (yield* tasks.find(principal, id))
    const operation = term && gateway.catalogue.byId.get(term.operation)
    return operation && { term, operation }
  })

  const counted = <A>({ authenticated, gateway }: Caller, value: A): Effect.Effect<A, Refused> =>
    Effect.as(gateway.count(authenticated), value)

  const get = Effect.fnUntraced(function* (caller: Caller, id: string, metadata: unknown) {
    const found = yield* find(caller, id)
    const call = found && callOf(caller, found.operation, "get", id)
    if (found === undefined || call === undefined) return yield* counted(caller, noTask)
    const reply = yield* runPaced(caller, call)
    if (reply.kind === "refused") return yield* reply.refused
    if (reply.kind === "stream" || reply.answer.status !== 200) return noTask
    const used = endedTask(caller, { ...call, operation: found.operation }, reply)
    const { done = false, status = "UNKNOWN" } = used.task ?? {}
    const isOver = done || used.error !== undefined
    const shown = isOver ? (status === "CANCELED" ? "cancelled" : "completed") : "working"
    // The task may have ended since it was found.
    const { term } = (isOver && found.term.endedAt === null ? yield* find(caller, id) : undefined) ?? found
    const now = yield* Clock.currentTimeMillis
    return {
      ...complete,
      ...taskFields(id, shown, `The task is ${status}.`, term, now, pollMillis),
      ...(shown === "completed"
        ? { result: { ...complete, ...resultFields(used, { metadata, revision: JsonRpc.stateless }) } }
        : {})
    }
  })

  /** Asks the upstream to stop. The task goes on where that is not possible, as the extension allows. */
  const cancel = Effect.fnUntraced(function* (caller: Caller, id: string) {
    const found = yield* find(caller, id)
    if (found === undefined) return yield* counted(caller, noTask)
    const call = found.term.endedAt === null ? callOf(caller, found.operation, "cancel", id) : undefined
    if (call === undefined) return yield* counted(caller, complete)
    const reply = yield* runPaced(caller, call)
    if (reply.kind === "refused" && reply.refused.refusal.code !== "invalid_request") return yield* reply.refused
    return complete
  })

  /** No task waits for input, so nothing of it is used. */
  const update = (caller: Caller, id: string) =>
    Effect.flatMap(find(caller, id), (found) => counted(caller, found === undefined ? noTask : complete))

  const answer = (
    caller: Caller,
    headers: Headers,
    { method, params }: Message
  ): Effect.Effect<object | Invalid, Refused> => {
    const { _meta: metadata, taskId } = params
    if (!declaresTasks(metadata)) return counted(caller, notDeclared)
    if (typeof taskId !== "string") return counted(caller, noTask)
    if (headers["mcp-name"] !== taskId) return counted(caller, otherName)
    if (method === "tasks/get") return get(caller, taskId, metadata)
    return method === "tasks/cancel" ? cancel(caller, taskId) : update(caller, taskId)
  }

  return (
    caller: Caller,
    headers: Headers,
    message: Message & { readonly id: JsonRpc.Id },
    ofAnswer: Readonly<Record<string, string>>
  ): Effect.Effect<HttpServerResponse> =>
    Effect.match(answer(caller, headers, message), {
      onSuccess: (value) =>
        value instanceof Invalid ? value.response(message.id, ofAnswer) : JsonRpc.result(message.id, value, ofAnswer),
      onFailure: (refused) => JsonRpc.refusal(refused, caller.authenticated.requestId, ofAnswer, message.id)
    })
}
