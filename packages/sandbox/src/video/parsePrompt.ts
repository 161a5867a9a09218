export const endings = ["succeeds", "fails", "canceled", "canceled half", "expires", "never"] as const
export type Ending = (typeof endings)[number]

export interface Plan {
  readonly ending: Ending
  /** From creation to the end, in milliseconds. */
  readonly duration: number
}

const longest = 3_600_000

const others: ReadonlySet<string> = new Set<Ending>(endings.filter((ending) => ending !== "succeeds"))

const isEnding = (text: string): text is Ending => others.has(text)

const commands = /\[task ([a-z0-9 ]{1,40})\]/gi
const times = /^(\d{1,9})(ms|s)$/

/**
 * How a task goes, by what its prompt says in brackets: `[task 200ms]`, `[task 5s]`, `[task fails]`, `[task canceled]`,
 * `[task canceled half]`, `[task expires]`, `[task never]`; several may be there, the last of a kind counts. Anything
 * else is part of the text. A task succeeds after three seconds unless told otherwise, and takes an hour at most.
 */
export const parsePrompt = (prompt: string): Plan => {
  let plan: Plan = { ending: "succeeds", duration: 3_000 }
  for (const [, said = ""] of prompt.matchAll(commands)) {
    const command = said.toLowerCase().trim().replace(/ +/g, " ")
    const time = times.exec(command)
    if (isEnding(command)) plan = { ...plan, ending: command }
    else if (time !== null) {
      plan = { ...plan, duration: Math.min(longest, Number(time[1]) * (time[2] === "s" ? 1_000 : 1)) }
    }
  }
  return plan
}
