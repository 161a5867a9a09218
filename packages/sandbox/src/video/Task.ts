import * as Context from "effect/Context"
import type { TaskStatus } from "@tollgate/contract/Task"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import { hash } from "../data/SeededRandom.ts"

/** State that is lost when the process ends. By default all sandboxes of a process share it. */
export interface Memory {
  /** By task id. */
  readonly prompts: Map<string, string>
  /** Ids of tasks that were billed. */
  readonly billed: Map<string, true>
  count: number
}

export const Memory = Context.Reference<Memory>("@tollgate/sandbox/video/Memory", {
  defaultValue: () => ({ prompts: new Map(), billed: new Map(), count: 0 })
})

export const endings = ["succeeds", "fails", "canceled", "canceled half", "expires", "never"] as const
type Ending = (typeof endings)[number]

interface Plan {
  readonly ending: Ending
  /** In milliseconds. */
  readonly duration: number
}

const maxDuration = 3_600_000

const commandEndings: ReadonlySet<string> = new Set<Ending>(endings.filter((ending) => ending !== "succeeds"))

const isEnding = (text: string): text is Ending => commandEndings.has(text)

const commands = /\[task ([a-z0-9 ]{1,40})\]/gi
const times = /^(\d{1,9})(ms|s)$/

/**
 * Reads commands such as `[task 5s]` or `[task canceled half]` from a prompt; the last duration and the last ending win.
 * By default a task succeeds after three seconds. It takes at most an hour.
 */
export const parsePrompt = (prompt: string): Plan => {
  let plan: Plan = { ending: "succeeds", duration: 3_000 }
  for (const [, text = ""] of prompt.matchAll(commands)) {
    const command = text.toLowerCase().trim().replace(/ +/g, " ")
    const time = times.exec(command)
    if (isEnding(command)) plan = { ...plan, ending: command }
    else if (time !== null) {
      plan = { ...plan, duration: Math.min(maxDuration, Number(time[1]) * (time[2] === "s" ? 1_000 : 1)) }
    }
  }
  return plan
}

/** A task without its prompt. The id contains all of it, so that a task survives a restart. */
export interface Task extends Plan {
  /** In milliseconds. */
  readonly created: number
  /** Keeps ids unique that are made in the same millisecond. */
  readonly number: number
}

// Bytes: created 6, duration 4, ending 1, number 3, checksum 4.
const length = 18

const checksum = (bytes: Uint8Array): number => hash(`task ${bytes.subarray(0, length - 4).join()}`)

export const write = ({ created, duration, ending, number }: Task): string => {
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, Math.floor(created / 2 ** 32))
  view.setUint32(2, created % 2 ** 32)
  view.setUint32(6, duration)
  view.setUint32(10, number % 2 ** 24)
  view.setUint8(10, endings.indexOf(ending))
  view.setUint32(14, checksum(bytes))
  return Base64Url.encode(bytes)
}

/** `undefined` if the sandbox did not make this id. */
export const read = (id: string): Task | undefined => {
  // 18 bytes are exactly 24 characters in Base64, so that each task has one id.
  if (!/^[\w-]{24}$/.test(id)) return undefined
  const decoded = Base64Url.decode(id)
  if (Result.isFailure(decoded)) return undefined
  const bytes = Uint8Array.from(decoded.success)
  const view = new DataView(bytes.buffer)
  const ending = endings[view.getUint8(10)]
  if (ending === undefined || view.getUint32(14) !== checksum(bytes)) return undefined
  return {
    created: view.getUint16(0) * 2 ** 32 + view.getUint32(2),
    duration: view.getUint32(6),
    ending,
    number: view.getUint32(10) % 2 ** 24
  }
}

/** The share of a task's duration that it is `PENDING`. */
const pendingShare = 0.2

/** How long a task is known after its end. */
const retention = 86_400_000

export const startOf = ({ created, duration }: Task): number => created + Math.floor(duration * pendingShare)

export const endOf = ({ created, duration }: Task): number => created + duration

export const statusAt = (task: Task, now: number): TaskStatus => {
  if (now < startOf(task)) return "PENDING"
  if (now < endOf(task) || task.ending === "never") return "RUNNING"
  if (now >= endOf(task) + retention) return "UNKNOWN"
  switch (task.ending) {
    case "succeeds":
      return "SUCCEEDED"
    case "fails":
      return "FAILED"
    case "expires":
      return "UNKNOWN"
    default:
      return "CANCELED"
  }
}
