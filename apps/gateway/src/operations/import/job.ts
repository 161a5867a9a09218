import * as Result from "effect/Result"
import { escaped } from "../../terminal/print.ts"
import { type Before, type Configured, configure, type NewUpstream, operationProblems } from "./configured.ts"
import { formatFile, parseOld } from "./OperationsFile.ts"
import { fileNameOf, type Options } from "./Options.ts"
import { importText, type Outcome, outcomeOf } from "./outcome.ts"
import { field, shown } from "./values.ts"

/** An import for a running gateway, as plain data. */
export interface ImportJob {
  readonly document: string
  readonly options: Options
  readonly upstream: NewUpstream
  readonly before: Before
  /** The text of the file of operations of an earlier import. */
  readonly old: string | undefined
}

export interface ImportPlan {
  readonly kind: Outcome["kind"]
  readonly report: ReadonlyArray<string>
  readonly file: { readonly name: string; readonly text: string }
  /** How many operations the file has, and the first of them. */
  readonly count: number
  readonly operations: ReadonlyArray<{
    readonly id: string
    readonly method: string
    readonly path: string
    readonly price: unknown
  }>
  readonly configured: Pick<Configured, "added" | "text" | "variable">
  readonly problems: ReadonlyArray<string>
}

const mostLines = 2_000
const mostShown = 200
/** A reload reads the file in the thread that serves calls. */
const mostBytes = 16 * 1024 * 1024
const mostInFile = 2_000
const tooMany = (count: number, name: string) =>
  `${name} would have ${count} operations. A running gateway adds at most ${mostInFile} at once, so that its callers do not wait. ` +
  "Choose fewer, or use the command `tollgate operations import`, which has no such bound."

const bounded = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length <= mostLines ? lines : [...lines.slice(0, mostLines), "", `And ${lines.length - mostLines} more lines.`]

/** Does all of an import but writing. The error is a sentence. */
export const planImport = (job: ImportJob): Result.Result<ImportPlan, string> => {
  const { before, options, upstream } = job
  const name = fileNameOf(options.upstream)
  const advice = "Choose another name for this upstream."
  const old = job.old === undefined ? undefined : parseOld(name, job.old, options.upstream, advice)
  if (old !== undefined && Result.isFailure(old)) return Result.fail(escaped(old.failure))
  const imported = importText(job.document, options)
  if (Result.isFailure(imported)) return Result.fail(`${escaped(`The document ${imported.failure}`)}.`)
  const { added, notes, problems, text, variable } = configure(
    before.text,
    options.upstream,
    name,
    upstream,
    imported.success.server
  )
  const { file, kind, lines } = outcomeOf({
    imported: imported.success,
    old: old?.success,
    upstream: options.upstream,
    notes,
    isPriced: options.price !== "pending"
  })
  const count = file.operations.length
  if (count > mostInFile) return Result.fail(tooMany(count, name))
  const written = kind === "same" && job.old !== undefined ? job.old : formatFile(file)
  if (Buffer.byteLength(written) > mostBytes) {
    return Result.fail(`The file would have more than ${mostBytes / 1024 / 1024} MB. Choose fewer operations.`)
  }
  return Result.succeed({
    kind,
    report: bounded(lines.map(escaped)),
    file: { name, text: written },
    count,
    operations: file.operations.slice(0, mostShown).map((entry) => ({
      id: shown(entry.id),
      method: shown(entry.method),
      path: shown(entry.path),
      price: field(entry, "price") ?? "pending"
    })),
    configured: { added, text, variable },
    problems:
      kind === "nothing"
        ? ["No operation of the document can be sold. The report says why."]
        : [...problems, ...operationProblems(text, before, { name, text: written })]
  })
}
