import { spokenActions } from "./spokenActions.ts"
import { spokenThings } from "./spokenThings.ts"
import { stem } from "./words.ts"

/** What interfaces say, and what people say who mean it. Only the second stands for the first. */
const lines = `${spokenActions.trim()}\n${spokenThings.trim()}`

const byWord = new Map<string, Set<string>>()
for (const line of lines.split("\n")) {
  const [meant = "", said = ""] = line.split(": ")
  for (const word of said.split(" ").map(stem)) {
    const meanings = byWord.get(word) ?? new Set()
    byWord.set(word, meanings)
    if (stem(meant) !== word) meanings.add(stem(meant))
  }
}

const none: ReadonlySet<string> = new Set()

/** The stems of interfaces that an everyday word may mean. */
export const meaningsOf = (word: string): ReadonlySet<string> => byWord.get(word) ?? none
