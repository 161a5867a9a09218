import { isFinal, type TaskStatus } from "@tollgate/contract/Task"
import * as Timestamp from "@tollgate/contract/Timestamp"
import * as Predicate from "effect/Predicate"
import type { TaskReport } from "../Protocol.ts"

// What callers see of a task, whichever protocol its upstream speaks. The request id is added to each answer.

/** A task of which only the status is known. */
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
  return JSON.stringify({ output, ...(Predicate.isObject(report.usage) ? { usage: report.usage } : {}) })
}
