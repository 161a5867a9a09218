import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Document, parse } from "../text/jsonc.ts"
import type { Add, Position } from "../text/Problem.ts"

/** Reads another file by the name that the configuration has for it. Fails with the reason. */
export type ReadOther = (name: string) => Effect.Effect<string, string>

export const noOthers: ReadOther = () => Effect.fail("there is no folder that it could be in")

export interface OperationFile {
  readonly name: string
  readonly text: string
  readonly document: Document
}

export interface UnreadableFile {
  readonly name: string
  readonly at: Position
  readonly message: string
}

export interface Loaded {
  /** By their names in the configuration. */
  readonly files: ReadonlyMap<string, OperationFile>
  readonly unreadable: ReadonlyArray<UnreadableFile>
}

const nameIn = (entry: unknown): string | undefined =>
  typeof entry === "object" && entry !== null && "file" in entry && typeof entry.file === "string" && entry.file !== ""
    ? entry.file
    : undefined

export const fileNamesIn = (operations: unknown): ReadonlyArray<string> =>
  (Array.isArray(operations) ? operations : []).flatMap((entry) => nameIn(entry) ?? [])

export const load = Effect.fnUntraced(function* (operations: unknown, readOther: ReadOther, addTo: Add) {
  const files = new Map<string, OperationFile>()
  const unreadable: Array<UnreadableFile> = []
  const seen = new Set<string>()
  for (const [i, entry] of (Array.isArray(operations) ? operations : []).entries()) {
    const name = nameIn(entry)
    if (name === undefined) continue
    const add = (message: string) => addTo(["operations", i, "file"], message)
    if (seen.has(name)) {
      add("this file is named twice")
      continue
    }
    seen.add(name)
    const text = yield* Effect.result(readOther(name))
    if (Result.isFailure(text)) {
      add(`cannot be read: ${text.failure}`)
      continue
    }
    const document = parse(text.success)
    if (Result.isFailure(document))
      unreadable.push({ name, at: document.failure.at, message: document.failure.message })
    else files.set(name, { name, text: text.success, document: document.success })
  }
  return { files, unreadable } satisfies Loaded
})
