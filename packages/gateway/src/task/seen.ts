import { isFinal, TaskStatus } from "@tollgate/contract/Task"
import * as Timestamp from "@tollgate/contract/Timestamp"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

type Fields = Readonly<Record<string, unknown>>

/** What an upstream says of a task, in its own words. */
export interface Seen {
  readonly status: TaskStatus
  /** The upstream's own. */
  readonly id: string
  readonly output: Fields
  readonly usage: unknown
  readonly requestId: unknown
}

const isStatus = Schema.is(TaskStatus)

/** What can stand in a path, and is no longer than an id has reason to be. */
const ids = /^[\x21-\x7e]{1,256}$/

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Utf8.decodeStrict(bytes))
  } catch {
    return undefined
  }
}

const outputIn = (bytes: Uint8Array) => {
  const body = parse(bytes)
  if (!Predicate.isObject(body) || !Predicate.isObject(body["output"])) return undefined
  const { output, request_id: requestId, usage } = body as Fields & { readonly output: Fields }
  const id = output["task_id"]
  return typeof id === "string" && ids.test(id) ? { id, output, usage, requestId } : undefined
}

/** `undefined`: it says nothing that can be relied on. Of a success that is also one without a video. */
export const read = (bytes: Uint8Array): Seen | undefined => {
  const said = outputIn(bytes)
  if (said === undefined) return undefined
  const { task_status: status, video_url: video } = said.output
  if (!isStatus(status)) return undefined
  return status === "SUCCEEDED" && (typeof video !== "string" || video === "") ? undefined : { ...said, status }
}

/** The answer to a create. Once it names a task there is one, whatever else it says; its end is another look's matter. */
export const readAccepted = (bytes: Uint8Array): Seen | undefined => {
  const said = outputIn(bytes)
  if (said === undefined) return undefined
  const status: TaskStatus = said.output["task_status"] === "RUNNING" ? "RUNNING" : "PENDING"
  return { ...said, status, output: { task_status: status }, usage: undefined }
}

const times = (status: TaskStatus, createdAt: number, now: number): Readonly<Record<string, number | undefined>> => ({
  submit_time: createdAt,
  scheduled_time: undefined,
  end_time: isFinal(status) ? now : undefined
})

const isTime = (value: unknown): boolean => typeof value === "string" && Timestamp.parse(value) !== undefined

/** What a caller is shown: our id in place of the upstream's, and times as they are promised or not at all. */
export const bodyOf = (id: string, seen: Seen, createdAt: number, now: number): string => {
  const output: Record<string, unknown> = { ...seen.output, task_id: id }
  for (const [name, ours] of Object.entries(times(seen.status, createdAt, now))) {
    if (isTime(output[name])) continue
    if (ours === undefined) delete output[name]
    else output[name] = Timestamp.format(ours)
  }
  return JSON.stringify({ output, ...(Predicate.isObject(seen.usage) ? { usage: seen.usage } : {}) })
}
