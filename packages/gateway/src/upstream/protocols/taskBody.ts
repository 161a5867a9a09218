import { isFinal, type TaskStatus } from "@tollgate/contract/Task"
import * as Timestamp from "@tollgate/contract/Timestamp"
import * as Predicate from "effect/Predicate"
import * as Utf8 from "@tollgate/contract/Utf8"
import { set } from "../../internal/jsonEdit.ts"
import type { TaskReport } from "../Protocol.ts"
import { fieldScanner } from "./fieldScanner.ts"

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
  const body = JSON.stringify({ output, ...(Predicate.isObject(report.usage) ? { usage: report.usage } : {}) })
  return report.own === undefined ? body : Utf8.decode(set(Utf8.encode(body), ownPath, report.own.shown(id)))
}

/** Where a body has the upstream's own answer, byte for byte, if it has a form of its own. */
const ownPath = ["output", "answer"] as const

const ownField = fieldScanner<"answer">({ members: { output: { members: { answer: { tag: "answer" } } } } })

/** The upstream's own answer in a body. `undefined`: there is none. */
export const ownAnswerIn = (body: string): Uint8Array | undefined => {
  const bytes = Utf8.encode(body)
  let found: Uint8Array | undefined
  ownField(bytes, 0, bytes.length, (_, start, end) => (found = bytes.subarray(start, end)))
  return found
}
