import * as Data from "effect/Data"
import type { Position } from "./jsonc.ts"

export interface Located {
  readonly at: Position
  /** The path inside the file; empty for the file itself. */
  readonly path: string
  readonly message: string
}

/** An invalid configuration file, with all its problems. */
export class Invalid extends Data.TaggedError("Invalid")<{ readonly problems: ReadonlyArray<Located> }> {}

const maxProblems = 10

/** One line for each problem. */
export const describe = (file: string, { problems }: Invalid): string => {
  const lines = problems
    .slice(0, maxProblems)
    .map(({ at, message, path }) => `${file}:${at.line}:${at.column}: ${path === "" ? "" : `${path}: `}${message}`)
  if (problems.length <= 1) return lines.join("")
  const rest = problems.length - lines.length
  return [`${file} has ${problems.length} errors`, ...lines, ...(rest === 0 ? [] : [`and ${rest} more`])].join("\n  ")
}
