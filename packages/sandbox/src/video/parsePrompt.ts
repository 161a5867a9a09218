export const endings = ["succeeds", "fails", "canceled", "canceled half", "expires", "never"] as const
export type Ending = (typeof endings)[number]

export interface Plan {
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
