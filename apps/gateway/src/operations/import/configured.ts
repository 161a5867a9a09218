import * as Result from "effect/Result"
import { normalize } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { OperationFile } from "../../config/operations/files.ts"
import { protocolsOf, resolve, type Surroundings } from "../../config/operations/resolve.ts"
import { replaceSection } from "../../config/text/edit.ts"
import { objectOf, parse, sectionsOf } from "../../config/text/jsonc.ts"
import { formatPath } from "../../config/text/Problem.ts"
import { serverNote, usableServer } from "./servers.ts"
import { field, type Fields, fieldsOf, listOf, textOf } from "./values.ts"

/** What an operator says of an upstream that the configuration does not have yet. */
export interface NewUpstream {
  readonly baseUrl?: string | undefined
  readonly private?: boolean | undefined
  readonly credential?: { readonly header?: string | undefined } | undefined
}

export interface Before {
  /** Of the file. `{}` without one. */
  readonly text: string
  /** The texts of the files of operations that it names, by their names there. */
  readonly others: ReadonlyMap<string, string>
  readonly around: Pick<Surroundings, "bindings" | "names">
}

/**
 * The variable that holds the credential of an upstream. Nobody can choose it: with another one, whoever may add an upstream
 * could send any secret of the environment to an address of their own.
 */
export const variableOf = (upstream: string): string =>
  `UPSTREAM_${upstream.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}`

export interface Configured {
  readonly text: string
  /** What the text has more than before. */
  readonly added: { readonly upstreams?: Fields; readonly operations?: ReadonlyArray<Fields> }
  /** The variable of a new upstream. */
  readonly variable: string | undefined
  readonly notes: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
}

export const noAddress = "https://…"

const entryOf = (
  { baseUrl, credential, private: isPrivate }: NewUpstream,
  server: string | undefined,
  env: string
) => ({
  baseUrl: baseUrl ?? usableServer(server) ?? noAddress,
  protocol: "json",
  ...(isPrivate === true ? { private: true } : {}),
  ...(credential === undefined
    ? {}
    : { credential: { env, ...(credential.header === undefined ? {} : { header: credential.header }) } })
})

/** Whether a name in the configuration means this file beside it. */
export const isSameFile = (named: string, file: string): boolean => normalize(named) === file

const isNamed = (operations: unknown, file: string): boolean =>
  listOf(operations).some((entry) => isSameFile(textOf(field(entry, "file")) ?? "", file))

const sandboxNote =
  'The file has no upstream yet, so the sandbox answers. With an upstream it does not, unless the file has "sandbox": true.'

const edited = (text: string, sections: Fields, added: Configured["added"]): string => {
  let next = text
  if (added.upstreams !== undefined) {
    const before = sections.upstreams
    next = replaceSection(next, "upstreams", before, { ...objectOf(before), ...added.upstreams })
  }
  if (added.operations !== undefined) {
    const before = sections.operations
    next = replaceSection(next, "operations", before, [...listOf(before), ...added.operations])
  }
  return next
}

/** Adds an upstream, if there is none of this name, and the name of the file of operations. */
export const configure = (
  text: string,
  upstream: string,
  file: string,
  given: NewUpstream,
  server: string | undefined
): Configured => {
  const sections = sectionsOf(text)
  const upstreams = fieldsOf(sections.upstreams) ?? {}
  const known = Object.hasOwn(upstreams, upstream) ? upstreams[upstream] : undefined
  const variable = variableOf(upstream)
  const entry = known === undefined ? entryOf(given, server, variable) : undefined
  const added: Configured["added"] = {
    ...(entry === undefined ? {} : { upstreams: { [upstream]: entry } }),
    ...(isNamed(sections.operations, file) ? {} : { operations: [{ file }] })
  }
  const next = edited(text, sections, added)
  const expected = {
    ...sections,
    ...(added.upstreams === undefined ? {} : { upstreams: { ...upstreams, ...added.upstreams } }),
    ...(added.operations === undefined ? {} : { operations: [...listOf(sections.operations), ...added.operations] })
  }
  const note = serverNote(server, entry?.baseUrl ?? textOf(field(known, "baseUrl")))
  const isFirst = Object.keys(upstreams).length === 0 && sections.sandbox === undefined
  const asksForMore = given.baseUrl !== undefined || given.credential !== undefined || given.private === true
  return {
    text: next,
    added,
    variable: entry?.credential === undefined ? undefined : variable,
    notes: [
      ...(known !== undefined && asksForMore
        ? [`The file has the upstream ${JSON.stringify(upstream)} already. It stays as it is.`]
        : []),
      ...(note === undefined || entry?.baseUrl === noAddress ? [] : [note]),
      ...(entry !== undefined && isFirst ? [sandboxNote] : [])
    ],
    problems: [
      ...(entry?.baseUrl === noAddress ? ["The document names no address. Give the address of the upstream."] : []),
      ...(entry?.credential !== undefined && JSON.stringify(sections).includes(`"${variable}"`)
        ? [`The file uses ${variable} for something else. Choose another name for the upstream.`]
        : []),
      ...(isDeepStrictEqual(sectionsOf(next), expected)
        ? []
        : ["This cannot be put into the text of the file. Change it by hand."])
    ]
  }
}

const mostProblems = 100

/** Why the configuration would refuse the operations, such as an id that another file has. */
export const operationProblems = (
  text: string,
  { around, others }: Before,
  file: { readonly name: string; readonly text: string }
): ReadonlyArray<string> => {
  const sections = sectionsOf(text)
  const files = new Map<string, OperationFile>()
  for (const [name, old] of new Map([...others, [file.name, file.text]])) {
    const text = isSameFile(name, file.name) ? file.text : old
    const document = parse(text)
    if (Result.isFailure(document)) return [`${name}: ${document.failure.message}`]
    files.set(name, { name, text, document: document.success })
  }
  const upstreams = protocolsOf(sections.upstreams)
  return resolve({ operations: sections.operations, schemas: sections.schemas }, files, { ...around, upstreams })
    .problems.flatMap(({ file, problems }) =>
      problems.map(
        ({ message, path }) => `${file === undefined ? "" : `${file.name}: `}${formatPath(path)}: ${message}`
      )
    )
    .slice(0, mostProblems)
}
