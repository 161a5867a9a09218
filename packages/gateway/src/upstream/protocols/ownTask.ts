import { type Address, hasResult, type OwnTask, readOwnTask, unknownStatus } from "@tollgate/contract/OwnTask"
import * as Utf8 from "@tollgate/contract/Utf8"
import { set } from "../../internal/jsonEdit.ts"
import { getPath, tryParse } from "../../internal/jsonValue.ts"
import type { TaskProtocol, TaskRequest } from "../Protocol.ts"

/** Printable ASCII of a bounded length, and nothing that leads to another path. */
const isSafeId = (id: string): boolean => /^[\x21-\x7e]{1,256}$/.test(id) && id !== "." && id !== ".."

const setAt = (bytes: Uint8Array, [first = "", ...inner]: ReadonlyArray<string>, text: string): Uint8Array =>
  set(bytes, [first, ...inner], JSON.stringify(text))

/** The upstream's answer, with the gateway's id of the task in place of the upstream's. */
const shownAs = ({ id: at }: OwnTask, bytes: Uint8Array, id: string): Uint8Array =>
  getPath(tryParse(bytes), ...at) === undefined ? bytes : setAt(bytes, at, id)

const empty = Utf8.encode("{}")

/** A task of which nothing more is known, in the upstream's form. */
export const unknownAnswer = ({ id: at, status }: OwnTask, id: string): Uint8Array =>
  setAt(setAt(empty, at, id), status, unknownStatus)

const shownIn = (task: OwnTask, bytes: Uint8Array) => (id: string) => Utf8.decode(shownAs(task, bytes, id))

const requestTo = ({ method, path }: Address, id: string, requestId: string): TaskRequest => ({
  method,
  path: path.replaceAll("{id}", encodeURIComponent(id)),
  headers: { accept: "application/json", "accept-encoding": "identity", "x-request-id": requestId },
  body: undefined
})

/** Tasks in a form that an operator describes. */
export const ownTaskProtocol = (task: OwnTask): TaskProtocol => ({
  // An answer that names a task has started it, whatever status it gives. Only a poll may finish a task.
  readCreated: ({ bytes }) => {
    const answer = tryParse(bytes)
    const { id } = readOwnTask(task, answer)
    if (id === undefined || !isSafeId(id)) return undefined
    return { id, status: "PENDING", output: { task_status: "PENDING" }, own: { answer, shown: shownIn(task, bytes) } }
  },
  createdAnswer: (answer, id) => ({ ...answer, bytes: shownAs(task, answer.bytes, id) }),
  pollRequest: (id, requestId) => requestTo(task.poll, id, requestId),
  readPoll: (bytes, asked) => {
    const answer = tryParse(bytes)
    // The address names the task, so that an answer need not.
    const { id = asked, status } = readOwnTask(task, answer)
    if (status === undefined || (status === "SUCCEEDED" && !hasResult(task, answer))) return undefined
    return { id, status, output: { task_status: status }, own: { answer, shown: shownIn(task, bytes) } }
  },
  cancelRequest: (id, requestId) => task.cancel && requestTo(task.cancel, id, requestId)
})
