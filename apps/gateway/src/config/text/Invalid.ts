import * as Data from "effect/Data"
import type { Position } from "./jsonc.ts"

export interface Located {
  /** Another file than the configuration's own, by its name there. */
  readonly file?: string
  readonly at: Position
  /** The path inside the file; empty for the file itself. */
  readonly path: string
  readonly message: string
}

/** An invalid configuration file, with all its problems. */
export class Invalid extends Data.TaggedError("Invalid")<{ readonly problems: ReadonlyArray<Located> }> {}

const maxProblems = 10

/** One line for each problem. */
export const problemLines = (
  file: string,
  { problems }: Invalid,
  most: number,
  nameOf: (other: string) => string = (other) => other
): ReadonlyArray<string> =>
  problems.slice(0, most).map(({ at, file: other, message, path }) => {
    const name = other === undefined ? file : nameOf(other)
    return `${name}:${at.line}:${at.column}: ${path === "" ? "" : `${path}: `}${message}`
  })

/** For a terminal: the first problems, and how many there are. */
export const describe = (file: string, invalid: Invalid, nameOf?: (other: string) => string): string => {
  const { problems } = invalid
  const lines = problemLines(file, invalid, maxProblems, nameOf)
  if (problems.length <= 1) return lines.join("")
  const rest = problems.length - lines.length
  return [`${file} has ${problems.length} errors`, ...lines, ...(rest === 0 ? [] : [`and ${rest} more`])].join("\n  ")
}
