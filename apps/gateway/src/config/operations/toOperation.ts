import { fromJsonSchema } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import * as declared from "@tollgate/contract/errors/Family"
import * as Operation from "@tollgate/contract/Operation"
import type { OfTask, CustomTask } from "@tollgate/contract/CustomTask"
import { contractOf } from "@tollgate/contract/price/contracts"
import { isFree, type Price, isByModel } from "@tollgate/contract/price/Price"
import { pathOf } from "@tollgate/contract/price/priceSchemas"
import * as limits from "@tollgate/contract/limits"
import * as Schema from "effect/Schema"
import { Open } from "@tollgate/contract/Open"
import type { LimitGroup } from "@tollgate/contract/limits"
import type { Path } from "../text/Problem.ts"
import type { Entry, Task } from "./Entry.ts"
import type { SchemaFile } from "./schemas.ts"

export const taskProblem = (task: Task, price: Price, protocol: string): string | undefined => {
  if (protocol !== "json") return "only for an upstream of the protocol json"
  if (isFree(price) || !contractOf(price).startsTask) {
    return 'a task is billed when it succeeds: set a price such as { "amount": "0.20" }'
  }
  if (task.at.split("{task_id}").length !== 2) return "at: the path must have {task_id} once"
  const words = [...task.succeeded, ...task.failed, ...(task.canceled ?? [])]
  const twice = words.find((word, i) => words.indexOf(word) !== i)
  if (twice !== undefined) return `"${twice}" is a word for two ends, or twice for one`
  return task.succeeded.length === 0 ? "succeeded: a task that cannot succeed is never charged" : undefined
}

/** The description that the gateway polls and cancels by. */
const taskOf = ({ cancel, canceled = [], failed, id, poll, result, status, succeeded }: Task): CustomTask => ({
  id: pathOf(id),
  status: pathOf(status),
  ends: { SUCCEEDED: succeeded, FAILED: failed, CANCELED: canceled },
  ...(result === undefined ? {} : { result: pathOf(result) }),
  poll: { method: poll.method ?? "GET", path: poll.path },
  ...(cancel === undefined ? {} : { cancel: { method: cancel.method ?? "POST", path: cancel.path } })
})

const TaskId = Schema.Struct({
  task_id: Schema.NonEmptyString.annotate({ description: "The id of the task, from the answer that started it." })
})

/** Operations that look after the tasks of an entry: `renders.get` and `renders.cancel` for `renders.create`. */
export const taskOperations = (entry: Entry, schemas: SchemaFile, at: Path): ReadonlyArray<Operation.Operation> => {
  const { category, id, task } = entry
  if (task === undefined) return []
  const base = id.replace(/\.create$/, "")
  const make = (does: OfTask["does"], method: Operation.Method, summary: string): Operation.Operation =>
    Operation.make({
      id: `${base}.${does}`,
      category,
      summary,
      method,
      path: task.at,
      request: { path: TaskId },
      success: fromJsonSchema(
        task.answer === undefined
          ? { schema: true, definitions: {} }
          : schemas.document(task.answer.schema, [...at, "task", "answer", "schema"])
      ),
      errors: declared.free,
      family: entry.family ?? "data",
      price: { contract: "free" },
      limit: limits.standard,
      replay: "free",
      upstream: "gateway",
      ofTask: { create: id, does, task: taskOf(task) },
      pending: task.answer === undefined ? [{ open: "response", what: "body" }] : []
    })
  return [
    make("get", "GET", `Get the status of a task of ${id}`),
    ...(task.cancel === undefined ? [] : [make("cancel", "DELETE", `Cancel a task of ${id}`)])
  ]
}

const defaultTasks = 3

/** The limits of an entry. Tokens of models count like everywhere. */
const limitOf = ({ id, limits: written }: Entry, price: Price, protocol: string): LimitGroup => {
  const byModel = isByModel(price)
  const tasks = protocol === "task" ? (written?.tasks ?? defaultTasks) : undefined
  if (written === undefined && !byModel && tasks === undefined) return limits.standard
  return {
    id: written?.group ?? id,
    ...(written?.rpm === undefined ? {} : { rpm: written.rpm }),
    tokens: written?.tokens ?? byModel,
    concurrency: written?.concurrency ?? (byModel || tasks !== undefined),
    ...(tasks === undefined ? {} : { tasks })
  }
}

/** The ledger does not protect free calls from running twice, and only a GET surely has no side effects. */
const replayOf = (method: Operation.Method, price: Price): Operation.Replay => {
  if (contractOf(price).startsTask) return "create"
  if (!isFree(price)) return "billed"
  return method === "GET" ? "free" : "create"
}

export const replayProblem = (replay: Operation.Replay, price: Price): string | undefined => {
  if (replay === "free" && !isFree(price)) return "a call that is retried freely must be free"
  return replay === "billed" && isFree(price)
    ? "the gateway keeps no record of free calls; expected free or create"
    : undefined
}

const familyOf = ({ task }: Entry, protocol: string, price: Price): Operation.Operation["family"] => {
  if (protocol === "task" && task === undefined) return "task"
  return isByModel(price) && (protocol === "anthropic" || protocol === "gemini" || protocol === "openai")
    ? protocol
    : "data"
}

const pendingOf = ({ answer, pending = [] }: Entry): ReadonlyArray<Operation.Pending> => [
  ...(pending.includes("request") ? [{ open: "request", what: "body" } as const] : []),
  ...((answer?.schema ?? answer?.type) === undefined || pending.includes("response")
    ? [{ open: "response", what: "body" } as const]
    : [])
]

export const answerProblem = ({ answer }: Entry, price: Price, protocol: string): string | undefined => {
  if (answer?.type === undefined || /^application\/(?:.+\+)?json$/.test(answer.type)) return undefined
  if (answer.schema !== undefined) return "only JSON has a schema"
  if (protocol !== "json") return "only for the protocol json"
  return isFree(price) || contractOf(price).isProvenByAnswer?.(price)
    ? undefined
    : "only JSON has fields to charge by: set a price per call"
}

const isEventProtocol = (protocol: string): boolean => protocol === "openai" || protocol === "anthropic"

/** An answer that is not described: any JSON, or nothing. */
const anything = fromJsonSchema({ schema: true, definitions: {} })

/** The same description that the contract has for its own operations. */
export const toOperation = (
  entry: Entry,
  request: Operation.Request,
  price: Price,
  protocol: string,
  schemas: SchemaFile,
  at: Path
): Operation.Operation => {
  const { answer, category, description, id, maxBodyBytes, method, path, summary } = entry
  const streams = (isByModel(price) || contractOf(price).reportedAt !== undefined) && isEventProtocol(protocol)
  return Operation.make({
    id,
    category,
    summary,
    ...(description === undefined ? {} : { description }),
    method,
    path,
    request,
    success:
      answer?.schema === undefined
        ? anything
        : fromJsonSchema(schemas.document(answer.schema, [...at, "answer", "schema"])),
    ...(answer?.type === undefined ? {} : { contentType: answer.type }),
    ...(answer?.headers === undefined ? {} : { answerHeaders: answer.headers.map((name) => name.toLowerCase()) }),
    ...(streams ? { event: Open({}) } : {}),
    ...(entry.otherParameters === undefined ? {} : { otherParameters: entry.otherParameters }),
    errors: isFree(price) ? declared.free : declared.billed,
    family: entry.family ?? familyOf(entry, protocol, price),
    price,
    limit: limitOf(entry, price, protocol),
    bodyLimit: maxBodyBytes ?? Operation.bodyLimits.data,
    replay: entry.replay ?? replayOf(method, price),
    upstream: "managed",
    ...(entry.task === undefined ? {} : { task: taskOf(entry.task) }),
    pending: pendingOf(entry)
  })
}
