import type { Path } from "../../config/text/Problem.ts"
import { answerHeadersOf, answerOf, bodyOf } from "./bodies.ts"
import { type Context, parametersOf } from "./parameters.ts"
import { firstSentence, pathsOf, summaryLine, wordsOf } from "./names.ts"
import type { Options } from "./Options.ts"
import { ownServer } from "./servers.ts"
import { type Fields, field, listOf, present, textOf } from "./values.ts"

export interface Source {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly item: unknown
  readonly operation: unknown
  /** Where the path is described, and where the operation is. */
  readonly itemAt: Path
  readonly at: Path
}

export const tagsOf = (operation: unknown): ReadonlyArray<string> =>
  listOf(field(operation, "tags")).flatMap((tag) => textOf(tag) ?? [])

const maxCategory = 40

const summaryOf = ({ method, operation, path }: Source): string => {
  const text = textOf(field(operation, "summary")) ?? firstSentence(textOf(field(operation, "description")))
  return summaryLine(text ?? `${method} ${path}`)
}

/** Begins with a letter. */
const wordsFor = (text: string): string =>
  wordsOf(text)
    .join(" ")
    .replace(/^[^a-z]+/, "")
    .slice(0, maxCategory)
    .trim()

const categoryOf = (operation: unknown, prefix: string): string =>
  wordsFor(tagsOf(operation)[0] ?? "") || wordsFor(prefix) || "imported"

const descriptionOf = (operation: unknown): string | undefined => {
  const text = textOf(field(operation, "description"))
  if (field(operation, "deprecated") !== true) return text
  return text === undefined ? "Deprecated." : `Deprecated.\n\n${text}`
}

/**
 * A POST or PATCH may change something each time, so it is never repeated when nobody knows whether it ran. The others keep the
 * default of the configuration: HTTP promises that a second GET, PUT or DELETE changes nothing more.
 */
const replayOf = (method: string): "create" | undefined =>
  method === "POST" || method === "PATCH" ? "create" : undefined

const takesBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"])

/** Writes an operation as an entry of the file; `undefined` if it cannot be carried, which is then told. */
export const writeOperation = (
  context: Context,
  document: unknown,
  source: Source,
  { prefix, price, upstream }: Options
): Fields | undefined => {
  const { findings } = context
  const { at, item, itemAt, method, operation } = source
  const skip = (place: Path, reason: string) => {
    findings.skip(place, reason)
    return undefined
  }
  const server = ownServer(document, operation, item)
  if (server !== undefined) return skip(at, `has a server of its own: ${server}`)
  const paths = pathsOf(source.path, prefix)
  if (paths === undefined) return skip(at, "the gateway cannot have this path")
  const { obstacles, parameters } = parametersOf(
    context,
    [
      [field(item, "parameters"), [...itemAt, "parameters"]],
      [field(operation, "parameters"), [...at, "parameters"]]
    ],
    paths.names,
    at
  )
  const { body, obstacle } = bodyOf(context, method, field(operation, "requestBody"), [...at, "requestBody"])
  const [first] = obstacle === undefined ? obstacles : [...obstacles, obstacle]
  if (first !== undefined) return skip(first.place, `${method} ${source.path}: ${first.reason}`)
  const { answer, isEmpty } = answerOf(context, field(operation, "responses"), [...at, "responses"])
  const headers = answerHeadersOf(context, field(operation, "responses"), [...at, "responses"])
  if (isEmpty === true) findings.empty()
  if (field(operation, "callbacks") !== undefined) findings.part([...at, "callbacks"], "the gateway makes no callbacks")
  return present({
    id: source.id,
    category: categoryOf(operation, prefix),
    summary: summaryOf(source),
    description: descriptionOf(operation),
    method,
    path: paths.gateway,
    // An empty list says that there is no body either.
    parameters: parameters.length === 0 && (body !== undefined || !takesBody.has(method)) ? undefined : parameters,
    body,
    answer: headers.length === 0 ? answer : { ...answer, headers },
    price,
    replay: replayOf(method),
    upstream: { name: upstream, path: paths.upstream }
  })
}
