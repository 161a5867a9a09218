import * as Data from "effect/Data"
import type { Position } from "./jsonc.ts"

export interface Located {
  readonly at: Position
  /** Inside the file; empty for the file itself. */
  readonly path: string
  readonly message: string
}

/** A configuration file that cannot be used, with all that is wrong with it. */
export class Invalid extends Data.TaggedError("Invalid")<{ readonly problems: ReadonlyArray<Located> }> {}

const most = 10

/** One problem is one line. */
export const describe = (file: string, { problems }: Invalid): string => {
  const lines = problems
    .slice(0, most)
    .map(({ at, message, path }) => `${file}:${at.line}:${at.column}: ${path === "" ? "" : `${path}: `}${message}`)
  if (problems.length <= 1) return lines.join("")
  const rest = problems.length - lines.length
  return [`${file} has ${problems.length} errors`, ...lines, ...(rest === 0 ? [] : [`and ${rest} more`])].join("\n  ")
}
