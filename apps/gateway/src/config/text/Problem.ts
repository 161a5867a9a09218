import { editDistance } from "@tollgate/contract/editDistance"
import * as Data from "effect/Data"

export type Path = ReadonlyArray<PropertyKey>

/** A problem in the file. The message never contains a value, which may be a secret. */
export interface Problem {
  readonly path: Path
  readonly message: string
}

/** Adds a problem, if there is a message. */
export type Add = (path: Path, message: string | undefined) => void

export const collect = (problems: Array<Problem> = []) => {
  const add: Add = (path, message) => {
    if (message !== undefined) problems.push({ path, message })
  }
  return { add, problems }
}

const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/

/** In JavaScript syntax: `prices.operations["chat.completions"].models`. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    const name = String(key)
    return identifier.test(name) ? `${text}${text === "" ? "" : "."}${name}` : `${text}[${JSON.stringify(name)}]`
  }, "")

const maxWordLength = 100

/** `; did you mean …?` if a known word is similar, otherwise empty. */
export const didYouMean = (word: string, known: ReadonlyArray<string>): string => {
  if (word.length > maxWordLength) return ""
  let nearest: string | undefined
  let least = Math.min(Math.floor((word.length + 2) / 3), word.length - 1) + 1
  for (const candidate of known) {
    const letters = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (letters < least) [nearest, least] = [candidate, letters]
  }
  return nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`
}

export interface Position {
  readonly line: number
  readonly column: number
}

export interface Located {
  /** Another file than the configuration's own, by its name there. */
  readonly file?: string
  readonly at: Position
  /** The path inside the file; empty for the file itself. */
  readonly path: string
  readonly message: string
}

export class Invalid extends Data.TaggedError("Invalid")<{ readonly problems: ReadonlyArray<Located> }> {}

const maxProblems = 10

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
