import * as Result from "effect/Result"
import { type Change, type Comparison, compare } from "./compare.ts"
import type { Finding } from "./Findings.ts"
import { type Imported, importDocument } from "./imported.ts"
import { formatPath, type Path } from "../../config/text/Problem.ts"
import { withoutRefused } from "./acceptable.ts"
import { readDocument } from "./document.ts"
import { type OperationsFile, recordOf } from "./OperationsFile.ts"
import type { Options } from "./Options.ts"

const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** Findings with the same reason are told together. */
const lines = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => {
  const places = new Map<string, Array<string>>()
  for (const { place, reason } of findings) places.set(reason, [...(places.get(reason) ?? []), place])
  return [...places].flatMap(([reason, [first = "", ...rest]]) =>
    rest.length === 0 ? [`  ${first}: ${reason}`] : [`  ${reason}:`, ...[first, ...rest].map((place) => `    ${place}`)]
  )
}

/** What was carried, and what was not, each with its place and reason. */
const findingLines = ({ findings, security }: Imported): ReadonlyArray<string> => {
  const empty = findings.emptyAnswers()
  return [
    ...(findings.skipped.length === 0 ? [] : ["", "Not imported:", ...lines(findings.skipped)]),
    ...(findings.parts.length === 0 ? [] : ["", "Imported in part:", ...lines(findings.parts)]),
    ...(empty === 0
      ? []
      : [
          "",
          `${plural(empty, "operation answers", "operations answer")} without content. Such an answer is charged too, at a price per call.`
        ]),
    ...(security.length === 0
      ? []
      : [
          "",
          `The document's security (${security.join(", ")}) is not imported: callers use keys of the gateway, and the upstream's credential is sent.`
        ])
  ]
}

const carriedLine = ({ chosen, format, operations, schemas, title, total, version }: Imported): string => {
  if (format === "MCP") return `${title}, MCP ${version}: ${operations.length} of ${total} tools imported.`
  const all = chosen === total ? plural(total, "operation") : `${chosen} chosen operations (the document has ${total})`
  return `${title}, OpenAPI ${version}: ${operations.length} of ${all} imported, with ${plural(Object.keys(schemas).length, "schema")}.`
}

const column = 9

const changeLines = (changes: ReadonlyArray<Change>): ReadonlyArray<string> =>
  changes.map(({ kind, name, what }) => `  ${kind.padEnd(column)} ${name}${what === "" ? "" : `  ${what}`}`)

const hasChanges = ({ operations, schemas }: Comparison): boolean =>
  [...operations, ...schemas].some(({ kind }) => kind === "added" || kind === "changed" || kind === "removed")

/** What an update does, or would do. */
const comparisonLines = ({ operations, schemas }: Comparison): ReadonlyArray<string> => [
  ...(operations.length === 0 ? [] : ["", "Operations:", ...changeLines(operations)]),
  ...(schemas.length === 0 ? [] : ["", "Schemas:", ...changeLines(schemas)])
]

/** Characters that a reader does not see, or that change how the text around them is read. Line breaks and tabs are common. */
const hidden = /[^\P{Cc}\n\r\t]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u

const mostPlaces = 20

const placesIn = (root: unknown, at: Path): ReadonlyArray<Path> => {
  const found: Array<Path> = []
  const left: Array<readonly [value: unknown, at: Path]> = [[root, at]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [value, at] = next
    if (typeof value === "string" && hidden.test(value)) found.push(at)
    if (typeof value !== "object" || value === null) continue
    for (const [key, part] of Object.entries(value)) {
      if (typeof part === "object" || typeof part === "string") left.push([part, [...at, key]])
      if (hidden.test(key)) found.push([...at, key])
    }
  }
  return found
}

/** A warning that names the texts of a document which say something else than they show. */
const hiddenLines = ({ operations, schemas }: Pick<Imported, "operations" | "schemas">): ReadonlyArray<string> => {
  const places = [
    ...operations.flatMap((entry) => placesIn(entry, [String(entry.id)])),
    ...placesIn(schemas, ["schemas"])
  ]
  if (places.length === 0) return []
  const rest = places.length - mostPlaces
  return [
    "",
    "Warning: these texts have control or bidirectional characters, which hide what they say. Read them before you publish them:",
    ...places.slice(0, mostPlaces).map((place) => `  ${formatPath(place)}`),
    ...(rest > 0 ? [`  and ${rest} more`] : [])
  ]
}

/** Imports the text of an OpenAPI document. The error follows the document's name. */
export const importText = (text: string, options: Options): Result.Result<Imported, string> =>
  Result.flatMap(readDocument(text), (document) => {
    const all = importDocument(document, options)
    if (all.total === 0) return Result.fail("has no operations")
    if (all.chosen === 0) return Result.fail('has no operation that matches "only"')
    return Result.succeed(withoutRefused(all, { name: options.upstream, protocol: "json" }))
  })

export interface Outcome {
  /** `nothing`: there is no operation to write. `same`: the file is up to date. */
  readonly kind: "new" | "changed" | "same" | "nothing"
  readonly file: OperationsFile
  /** What was carried and what was not, and what would change in a file that exists. */
  readonly lines: ReadonlyArray<string>
}

export interface Given {
  readonly imported: Imported
  readonly old: OperationsFile | undefined
  readonly upstream: string
  readonly notes: ReadonlyArray<string>
  readonly isPriced: boolean
}

/** Writes nothing: the caller does, if somebody wants it. */
export const outcomeOf = ({ imported, isPriced, old, upstream, ...rest }: Given): Outcome => {
  const lines = [
    carriedLine(imported),
    ...findingLines(imported),
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
