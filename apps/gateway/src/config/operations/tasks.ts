import { fromJsonSchema } from "@tollgate/contract/described/fromJsonSchema"
import * as declared from "@tollgate/contract/errors/Family"
import * as Operation from "@tollgate/contract/Operation"
import type { OfTask, OwnTask } from "@tollgate/contract/OwnTask"
import { contractOf } from "@tollgate/contract/price/contracts"
import { isFree, type Price } from "@tollgate/contract/price/Price"
import { pathOf } from "@tollgate/contract/price/written"
import * as limits from "@tollgate/contract/limits"
import * as Schema from "effect/Schema"
import type { Path } from "../text/Problem.ts"
import type { Entry, Task } from "./Entry.ts"
import type { SchemaFile } from "./schemas.ts"

/** Why tasks cannot be as the entry says. */
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
export const taskOf = ({ cancel, canceled = [], failed, id, poll, result, status, succeeded }: Task): OwnTask => ({
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
