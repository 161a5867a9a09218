import * as Result from "effect/Result"
import { uncheckedLines } from "../../config/uncheckedLines.ts"
import { withoutRefused } from "./acceptable.ts"
import { compare } from "./compare.ts"
import { readDocument } from "./document.ts"
import { hiddenLines } from "./hiddenCharacters.ts"
import { type Imported, importDocument } from "./imported.ts"
import { type OperationsFile, recordOf } from "./OperationsFile.ts"
import type { Options } from "./Options.ts"
import { comparisonLines, findingLines, hasChanges } from "./report.ts"
import { uncheckedParts } from "./unchecked.ts"

/** Imports the text of an OpenAPI document. The error follows the document's name. */
export const importText = (text: string, options: Options): Result.Result<Imported, string> =>
  Result.flatMap(readDocument(text), (document) => {
    const all = importDocument(document, options)
    if (all.total === 0) return Result.fail("has no operations")
    if (all.chosen === 0) return Result.fail('has no operation that matches "only"')
    return Result.succeed(withoutRefused(all, { name: options.upstream, protocol: "json" }))
  })

/** What an import would do to the file of operations. */
export interface Outcome {
  /** `nothing`: there is no operation to write. `same`: the file is up to date. */
  readonly kind: "new" | "changed" | "same" | "nothing"
  /** The file as it would be. */
  readonly file: OperationsFile
  /** What was carried and what was not, and what would change in a file that exists. */
  readonly lines: ReadonlyArray<string>
}

export interface Given {
  readonly imported: Imported
  /** The file of an earlier import. */
  readonly old: OperationsFile | undefined
  readonly upstream: string
  /** What was carried. */
  readonly first: string
  readonly notes: ReadonlyArray<string>
  readonly isPriced: boolean
}

/** Writes nothing: the caller does, if somebody wants it. */
export const outcomeOf = ({ first, imported, isPriced, old, upstream, ...rest }: Given): Outcome => {
  const unchecked = uncheckedLines(uncheckedParts(imported))
  const lines = [
    first,
    ...findingLines(imported),
    ...(unchecked.length === 0 ? [] : ["", ...unchecked]),
    ...hiddenLines(imported),
    ...rest.notes.flatMap((note) => ["", note])
  ]
  if (old !== undefined) {
    const comparison = compare(old, imported, upstream)
    const kind = hasChanges(comparison) ? "changed" : "same"
    return { kind, file: comparison.file, lines: [...lines, ...comparisonLines(comparison)] }
  }
  const file = { ...imported, record: recordOf(imported) }
  if (imported.operations.length === 0) return { kind: "nothing", file, lines }
  const closed = isPriced ? [] : ["", "They have no price yet. Calls are refused until you set one."]
  return { kind: "new", file, lines: [...lines, ...closed] }
}
