import type { Change, Comparison } from "./compare.ts"
import type { Finding } from "./Findings.ts"
import type { Imported } from "./imported.ts"

const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** Findings with the same reason are told together. */
const lines = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => {
  const places = new Map<string, Array<string>>()
  for (const { place, reason } of findings) places.set(reason, [...(places.get(reason) ?? []), place])
  return [...places].flatMap(([reason, [first = "", ...rest]]) =>
    rest.length === 0 ? [`  ${first}: ${reason}`] : [`  ${reason}:`, ...[first, ...rest].map((place) => `    ${place}`)]
  )
}

const noJson = "answers without content"

const countLines = (counts: ReadonlyMap<string, number>): ReadonlyArray<string> => {
  const rest = [...counts].filter(([what]) => what !== noJson).map(([what, count]) => `${what} (${count})`)
  const empty = counts.get(noJson)
  return [
    ...(rest.length === 0 ? [] : [`Left out everywhere: ${rest.join(", ")}.`]),
    ...(empty === undefined
      ? []
      : [
          `${plural(empty, "operation answers", "operations answer")} without content. Such an answer is charged too, at a price per call.`
        ])
  ]
}

/** What was carried, and what was not, each with its place and reason. */
export const findingLines = ({ findings, security }: Imported): ReadonlyArray<string> => [
  ...(findings.skipped.length === 0 ? [] : ["", "Not imported:", ...lines(findings.skipped)]),
  ...(findings.parts.length === 0 ? [] : ["", "Imported in part:", ...lines(findings.parts)]),
  ...(findings.counts.size === 0 ? [] : ["", ...countLines(findings.counts)]),
  ...(security.length === 0
    ? []
    : [
        "",
        `The document's security (${security.join(", ")}) is not imported: callers use keys of the gateway, and the upstream's credential is sent.`
      ])
]

export const carriedLine = ({ chosen, operations, schemas, title, total, version }: Imported): string => {
  const all = chosen === total ? plural(total, "operation") : `${chosen} chosen operations (the document has ${total})`
  return `${title}, OpenAPI ${version}: ${operations.length} of ${all} imported, with ${plural(Object.keys(schemas).length, "schema")}.`
}

const column = 9

const changeLines = (changes: ReadonlyArray<Change>): ReadonlyArray<string> =>
  changes.map(({ kind, name, what }) => `  ${kind.padEnd(column)} ${name}${what === "" ? "" : `  ${what}`}`)

export const hasChanges = ({ operations, schemas }: Comparison): boolean =>
  [...operations, ...schemas].some(({ kind }) => kind === "added" || kind === "changed" || kind === "removed")

/** What an update does, or would do. */
export const comparisonLines = ({ operations, schemas }: Comparison): ReadonlyArray<string> => [
  ...(operations.length === 0 ? [] : ["", "Operations:", ...changeLines(operations)]),
  ...(schemas.length === 0 ? [] : ["", "Schemas:", ...changeLines(schemas)])
]
