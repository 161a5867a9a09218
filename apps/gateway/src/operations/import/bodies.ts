import { defaults } from "@tollgate/contract/Names"
import { answerHeaderProblem, isHeaderName } from "../../config/text/headers.ts"
import type { Path } from "../../config/text/Problem.ts"
import type { Context, Obstacle } from "./parameters.ts"
import { entriesOf, field, type Fields, fieldsOf, present } from "./values.ts"

const typeOf = (mediaType: string): string => mediaType.split(";")[0]?.trim().toLowerCase() ?? ""

/** How the configuration names a type of a body. */
const bodyTypes = new Map([
  ["application/json", "json"],
  ["*/*", "json"],
  ["application/*", "json"],
  ["application/x-www-form-urlencoded", "form"],
  ["multipart/form-data", "multipart"]
])

/** The better ones first: fields can be checked in JSON only, and told apart in forms. */
const preferred = ["json", "+json", "form", "multipart", "other"]

interface Chosen {
  readonly name: string
  readonly media: unknown
  /** As the configuration has it. */
  readonly type: string
}

const rankOf = ({ type }: Chosen): number => {
  const rank = preferred.indexOf(type.endsWith("+json") ? "+json" : type)
  return rank === -1 ? preferred.length : rank
}

const bodyTypeOf = (context: Context, name: string, media: unknown, at: Path): string => {
  const type = typeOf(name)
  const known = bodyTypes.get(type) ?? type
  return known === "json" && isBinary(context, field(media, "schema"), at) ? "*/*" : known
}

/** The body of a request: JSON if the document allows it, otherwise a form, and otherwise the first type that it names. */
export const bodyOf = (
  context: Context,
  method: string,
  requestBody: unknown,
  at: Path
): { readonly body?: Fields; readonly obstacle?: Obstacle } => {
  const { findings, references, schemas } = context
  if (requestBody === undefined) return {}
  const target = references.resolve(requestBody, at)
  if ("problem" in target) return { obstacle: { place: at, reason: `the body ${target.problem}` } }
  const isRequired = field(target.value, "required") === true
  const content = entriesOf(field(target.value, "content"))
  const [chosen] = content
    .map(([name, media]): Chosen => {
      const place = [...target.path, "content", name, "schema"]
      return { name, media, type: bodyTypeOf(context, name, media, place) }
    })
    .filter(({ type }) => bodyTypeNames.has(type) || isNamed(type))
    .toSorted((one, other) => rankOf(one) - rankOf(other))
  const types = content.map(([name]) => name).join(", ") || "no type"
  const leaveOut = (reason: string) => {
    if (isRequired) return { obstacle: { place: at, reason: `the body: ${reason}` } }
    findings.part(at, `the body is left out: ${reason}`)
    return {}
  }
  if (method === "GET") return leaveOut("a GET has no body at the gateway")
  if (chosen === undefined) return leaveOut(`the gateway cannot name its type: ${types}`)
  const { media, name, type } = chosen
  if (content.length > 1) findings.part([...target.path, "content"], `of ${types} the gateway carries ${name}`)
  if (type !== "multipart" && fieldsOf(field(media, "encoding")) !== undefined) {
    findings.part([...target.path, "content", name, "encoding"], "is left out")
  }
  // Bytes have no fields to describe.
  const hasSchema = bodyTypeNames.has(type) || type.endsWith("+json")
  const schema = field(media, "schema") ?? {}
  return {
    body: present({
      schema: hasSchema ? schemas.write(schema, [...target.path, "content", name, "schema"], "request") : undefined,
      type: type === "json" ? undefined : type,
      required: isRequired
    })
  }
}

const bodyTypeNames: ReadonlySet<string> = new Set(bodyTypes.values())

const isJson = (mediaType: string): boolean => /^application\/(?:json|[^;]+\+json)$|^\*\/\*$/.test(typeOf(mediaType))

/** Bytes, which no JSON can be: OpenAPI 3.0's `format: binary`. */
const isBinary = ({ references }: Context, schema: unknown, at: Path): boolean => {
  const target = references.resolve(schema, at)
  return !("problem" in target) && field(target.value, "format") === "binary"
}

/** Types that a configuration can name. */
const isNamed = (type: string): boolean => /^(?:\*\/\*|[a-z]+\/(?:\*|[a-z0-9][a-z0-9.+-]{0,126}))$/.test(type)

/** The names of headers that the document's answers have, and that the gateway can pass on. */
export const answerHeadersOf = ({ references }: Context, responses: unknown, at: Path): ReadonlyArray<string> => {
  const found = new Map<string, string>()
  for (const [code, written] of entriesOf(responses)) {
    const target = references.resolve(written, [...at, code])
    if ("problem" in target) continue
    for (const [name] of entriesOf(field(target.value, "headers"))) {
      if (isHeaderName.test(name) && answerHeaderProblem(name, defaults) === undefined)
        found.set(name.toLowerCase(), name)
    }
  }
  return [...found.values()].toSorted()
}

/** The first answer of success that has JSON, or else the first type of another. */
export const answerOf = (
  context: Context,
  responses: unknown,
  at: Path
): { readonly answer?: Fields; readonly isEmpty?: boolean } => {
  const { findings, references, schemas } = context
  const codes = Object.keys(fieldsOf(responses) ?? {})
    .filter((code) => /^2(?:\d\d|XX)$/i.test(code))
    .toSorted()
  let other: string | undefined
  for (const code of codes) {
    const place = [...at, code]
    const target = references.resolve(field(responses, code), place)
    if ("problem" in target) {
      findings.part(place, `the answer ${target.problem}: it passes as it is`)
      continue
    }
    const content = entriesOf(field(target.value, "content"))
    const isBytes = ([name, media]: readonly [string, unknown]) =>
      isBinary(context, field(media, "schema"), [...target.path, "content", name, "schema"])
    const chosen = content.find((one) => isJson(one[0]) && !isBytes(one))
    if (chosen === undefined) {
      other ??= content.map(([name]) => (isJson(name) ? "*/*" : typeOf(name))).find(isNamed)
      continue
    }
    const [name, media] = chosen
    const schema = field(media, "schema")
    if (schema === undefined) return {}
    return { answer: { schema: schemas.write(schema, [...target.path, "content", name, "schema"], "answer") } }
  }
  if (other !== undefined) return { answer: { type: other } }
  return { isEmpty: codes.length > 0 }
}
