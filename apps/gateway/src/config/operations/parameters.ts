import { multipartType } from "@tollgate/contract/Upload"
import { fromJsonSchema } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import { fromText } from "@tollgate/contract/jsonSchema/fromText"
import type { JsonSchemaDocument } from "@tollgate/contract/jsonSchema/JsonSchemaDocument"
import { defaults, type Names } from "@tollgate/contract/Names"
import { Open } from "@tollgate/contract/Open"
import type { parts, Request } from "@tollgate/contract/Operation"
import { OpenQuery, type QueryStyle } from "@tollgate/contract/QueryStyle"
import type { TargetNames } from "@tollgate/gateway/operator"
import * as Schema from "effect/Schema"
import type { Path } from "../text/Problem.ts"
import type { Entry, Parameter } from "./Entry.ts"
import { callerHeaderProblem, isHeaderName } from "../text/headers.ts"
import type { SchemaFile } from "./schemas.ts"

/** How a body is sent, by what its entry says. */
interface BodyKind {
  /** Callers send it in this type, and it is sent on as it is. Missing: callers send JSON. */
  readonly bodyType?: string
  /** The upstream gets JSON under this type, or as a form. */
  readonly sentAs?: "form" | { readonly json: string }
}

const isJsonType = /^application\/(?:json|.+\+json)$/

export const bodyKindOf = (type = "json"): BodyKind => {
  if (type === "json" || type === "application/json") return {}
  if (type === "form" || type === "application/x-www-form-urlencoded") return { sentAs: "form" }
  if (type === "multipart") return { bodyType: multipartType }
  return isJsonType.test(type) ? { sentAs: { json: type } } : { bodyType: type }
}

type Part = (typeof parts)[number]

/** A parameter with everything that its entry leaves out. */
export interface Described {
  readonly name: string
  readonly part: Part
  readonly required: boolean
  readonly document: JsonSchemaDocument
  readonly sentAs: string | undefined
  readonly style?: QueryStyle
}

type Add = (path: Path, message: string) => void

export const namesIn = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name)

const hasQuery = (method: Entry["method"]): boolean => method === "GET" || method === "DELETE"

const shortSchema = (type: Parameter["type"], part: Part) =>
  type === "string" && part !== "body" ? { type, minLength: 1 } : { type: type ?? "string" }

const withDescription = (document: JsonSchemaDocument, description: string | undefined): JsonSchemaDocument =>
  description === undefined || typeof document.schema === "boolean"
    ? document
    : { ...document, schema: { ...document.schema, description } }

const describe = (parameter: Parameter, method: Entry["method"], schemas: SchemaFile, path: Path): Described => {
  const { description, name, required = false, sentAs, style, type } = parameter
  const part = parameter.in ?? (hasQuery(method) ? "query" : "body")
  const schema = parameter.schema ?? shortSchema(type, part)
  return {
    name: part === "header" ? name.toLowerCase() : name,
    part,
    required: required || part === "path",
    document: withDescription(schemas.document(schema, [...path, "schema"]), description),
    sentAs,
    ...(style === undefined || style === "commas" ? {} : { style })
  }
}

const check = (entry: Entry, parameter: Parameter, described: Described, names: Names, add: Add): void => {
  const { part } = described
  if (parameter.schema !== undefined && parameter.type !== undefined)
    add(["type"], "this parameter has a schema already")
  if (part !== "query" && described.style !== undefined) add(["style"], "only for parameters of the query")
  if (part === "path") {
    if (!namesIn(entry.path).includes(parameter.name)) add(["name"], `the path does not have {${parameter.name}}`)
    if (parameter.required === false) add(["required"], "a parameter in the path is always required")
  }
  if (part === "body" && entry.method === "GET") add(["in"], "a GET has no body")
  if (part === "body" && entry.body !== undefined) add(["in"], "the operation describes its whole body already")
  if (part === "header") {
    const problem = callerHeaderProblem(parameter.name, names)
    if (problem !== undefined) add(["name"], problem)
    const { sentAs = "x" } = parameter
    const sent = isHeaderName.test(sentAs) ? callerHeaderProblem(sentAs, names) : "expected the name of a header"
    if (sent !== undefined) add(["sentAs"], sent)
  }
}

/** The parameters of an entry. Those that only its path has are texts. */
export const describeParameters = (
  entry: Entry,
  schemas: SchemaFile,
  names: Names,
  at: Path,
  add: Add
): ReadonlyArray<Described> => {
  const { method, parameters = [], path } = entry
  const seen = new Set<string>()
  const sent = new Set<string>()
  const described = parameters.map((parameter, i) => {
    const here = ["parameters", i]
    const one = describe(parameter, method, schemas, [...at, ...here])
    check(entry, parameter, one, names, (path, message) => add([...here, ...path], message))
    const key = `${one.part} ${one.name}`
    const isSeen = seen.has(key)
    if (isSeen) add([...here, "name"], "another parameter has this name")
    seen.add(key)
    const sentAs = one.sentAs ?? one.name
    const sentKey = `${one.part} ${one.part === "header" ? sentAs.toLowerCase() : sentAs}`
    if (sent.has(sentKey) && !isSeen)
      add([...here, one.sentAs === undefined ? "name" : "sentAs"], "another parameter is sent under this name")
    sent.add(sentKey)
    return one
  })
  const inPath = namesIn(path)
  for (const [i, name] of inPath.entries()) {
    if (inPath.indexOf(name) < i) add(["path"], `the path has {${name}} twice`)
    if (Object.hasOwn(defaults, name)) add(["path"], `{${name}} is a name of the gateway; choose another`)
  }
  const declared = new Set(described.flatMap(({ name, part }) => (part === "path" ? [name] : [])))
  return [
    ...described,
    ...[...new Set(inPath)]
      .filter((name) => !declared.has(name))
      .map((name): Described => ({
        name,
        part: "path",
        required: true,
        document: schemas.document({ type: "string", minLength: 1 }, at),
        sentAs: undefined
      }))
  ]
}

const fieldsOf = <E>(
  described: ReadonlyArray<Described>,
  part: Part,
  make: (document: JsonSchemaDocument) => Schema.Codec<unknown, E>
) => {
  const own = described.filter((parameter) => parameter.part === part)
  if (own.length === 0) return undefined
  return Object.fromEntries(
    own.map(({ document, name, required }) => {
      const schema = make(document)
      return [name, required ? schema : Schema.optionalKey(schema)] as const
    })
  )
}

const anyBytes: JsonSchemaDocument = { schema: { type: "string", format: "binary" }, definitions: {} }

const bodyOf = (
  { body, method, parameters }: Entry,
  described: ReadonlyArray<Described>,
  document?: JsonSchemaDocument
) => {
  const { bodyType } = bodyKindOf(body?.type)
  if (bodyType !== undefined && bodyType !== multipartType) return fromJsonSchema(anyBytes)
  if (document !== undefined) return fromJsonSchema(document)
  const fields = fieldsOf(described, "body", fromJsonSchema)
  if (fields !== undefined) return Open(fields)
  // What is not described passes, unless the parameters say that all of it is elsewhere, or that there is none.
  return body !== undefined || (!hasQuery(method) && parameters === undefined) ? Open({}) : undefined
}

/** The schemas of the request. Parameters that they do not name pass through. */
export const requestOf = (
  entry: Entry,
  described: ReadonlyArray<Described>,
  document: JsonSchemaDocument | undefined
): Request => {
  const path = fieldsOf(described, "path", fromText)
  const query = fieldsOf(described, "query", fromText)
  const header = fieldsOf(described, "header", fromText)
  const styles = described.flatMap(({ name, style }) => (style === undefined ? [] : [[name, style] as const]))
  const body = bodyOf(entry, described, document)
  const { bodyType } = bodyKindOf(entry.body?.type)
  return {
    ...(path === undefined ? {} : { path: Schema.Struct(path) }),
    ...(query === undefined && !hasQuery(entry.method) ? {} : { query: OpenQuery(query ?? {}) }),
    ...(styles.length === 0 ? {} : { styles: Object.fromEntries(styles) }),
    ...(header === undefined ? {} : { header: Schema.Struct(header) }),
    ...(body === undefined ? {} : { body }),
    ...(bodyType === undefined ? {} : { bodyType }),
    ...(body !== undefined && entry.body !== undefined && entry.body.required !== true ? { optionalBody: true } : {})
  }
}

/** The upstream's names, where they differ. */
export const namesOf = (described: ReadonlyArray<Described>): TargetNames | undefined => {
  const names: Partial<Record<Part, Record<string, string>>> = {}
  for (const { name, part, sentAs } of described) {
    if (sentAs !== undefined && sentAs !== name) (names[part] ??= {})[name] = sentAs
  }
  return Object.keys(names).length === 0 ? undefined : names
}
