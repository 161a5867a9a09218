import type { TaskStatus } from "@tollgate/contract/Task"
import * as Schema from "effect/Schema"
import { sealed } from "../data/sealed.ts"

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

/** A task without its prompt. In milliseconds; `number` keeps ids unique that are made in the same one. */
const Fields = Schema.Struct({
  number: Schema.Int,
  created: Schema.Int,
  duration: Schema.Int,
  ending: Schema.Literals(endings)
})
export type Task = typeof Fields.Type

/** The id contains all of the task, so that it survives a restart. `open`: `undefined` if the sandbox did not make this id. */
export const Id = sealed("task", Fields)

/** The share of a task's duration that it is `PENDING`. */
const pendingShare = 0.2

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
