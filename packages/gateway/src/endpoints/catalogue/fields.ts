import { fromJsonSchema, jsonSchemaOf } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import { propertiesOf } from "@tollgate/contract/jsonSchema/properties"
import { followed, isJsonSchema, type JsonSchemaDocument } from "@tollgate/contract/jsonSchema/JsonSchemaDocument"
import { oncePer } from "@tollgate/contract/oncePer"
import type { Bound, ParameterPending, parts, Request } from "@tollgate/contract/Operation"
import type { QueryStyle } from "@tollgate/contract/QueryStyle"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { takesOtherParameters } from "@tollgate/contract/otherParameters"

export type Part = (typeof parts)[number]

export interface Field {
  /** Its name in `arguments`. */
  readonly name: string
  readonly part: Part
  /** Its name in the request. */
  readonly sentAs: string
  readonly required: boolean
  /** The schema of its value in the path, the query, the headers or the body. */
  readonly schema: Schema.Constraint
  readonly description?: string
  /** It is the whole body, which is no object. */
  readonly isWhole?: true
  /** How it is written in the query, if it is not one text. */
  readonly style?: QueryStyle
  /** `one`: its value is a file. `several`: a list of files. */
  readonly file?: "one" | "several"
}

export interface Fields {
  /** By name, in the order path, query, headers, body. */
  readonly byName: ReadonlyMap<string, Field>
  /** Where arguments go that no field names. `undefined`: they are refused. */
  readonly others: "query" | "body" | undefined
}

type Declared = Omit<Field, "name">

const objectOf = (schema: Schema.Constraint | undefined): SchemaAST.Objects | undefined =>
  schema?.ast._tag === "Objects" ? schema.ast : undefined

const declaredIn = (part: Part, object: SchemaAST.Objects | undefined): ReadonlyArray<Declared> =>
  (object?.propertySignatures ?? []).map(({ name, type }) => ({
    part,
    sentAs: String(name),
    required: !SchemaAST.isOptional(type),
    schema: Schema.make(type)
  }))

const pathFields = ({ path, request }: Bound): ReadonlyArray<Declared> => {
  const declared = new Map(declaredIn("path", objectOf(request.path)).map((field) => [field.sentAs, field]))
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => ({
    part: "path",
    sentAs: name,
    schema: declared.get(name)?.schema ?? Schema.NonEmptyString,
    required: true
  }))
}

const boundFields = ({ parameters, pending }: Bound): ReadonlyArray<Declared> =>
  Object.entries(parameters).map(([role, sentAs]) => {
    const isRole = (part: (typeof pending)[number]): part is ParameterPending =>
      part.open === "parameter" && part.role === role
    const found = pending.find(isRole)
    return {
      part: "query",
      sentAs,
      required: false,
      schema: found?.type === "integer" ? Schema.Int : Schema.String,
      description: [`Bound by the operator: ${role}.`, found?.description ?? ""].join(" ").trim()
    }
  })

interface BodyFields {
  readonly declared: ReadonlyArray<Declared>
  readonly isOpen: boolean
}

const isAnything = (schema: unknown): boolean =>
  schema === true || (typeof schema === "object" && schema !== null && Object.keys(schema).length === 0)

/** Whether a part of a form, or a whole body that is not JSON, is a file. */
const fileIn = (document: JsonSchemaDocument): Pick<Field, "file"> => {
  const schema = followed(document)
  if (typeof schema === "boolean") return {}
  if (schema["format"] === "binary") return { file: "one" }
  const { items } = schema
  return isJsonSchema(items) && fileIn({ ...document, schema: items }).file === "one" ? { file: "several" } : {}
}

/** The fields of a body that a JSON Schema describes, or the body as one argument if it is no object. */
const describedBody = (document: JsonSchemaDocument, isUpload: boolean): BodyFields => {
  const object = propertiesOf(document)
  if (object === undefined && !isAnything(document.schema)) {
    const whole = {
      part: "body",
      sentAs: "body",
      required: true,
      schema: fromJsonSchema(document),
      isWhole: true,
      ...(isUpload ? fileIn(document) : {})
    } as const
    return { declared: [whole], isOpen: false }
  }
  const declared = (object?.named ?? []).map(({ document, name, required }): Declared => ({
    part: "body",
    sentAs: name,
    required,
    schema: fromJsonSchema(document),
    ...(isUpload ? fileIn(document) : {})
  }))
  return { declared, isOpen: object?.isOpen ?? true }
}

const bodyFields = ({ body, bodyType }: Request): BodyFields | undefined => {
  if (body === undefined) return undefined
  const described = jsonSchemaOf(body)
  if (described !== undefined) return describedBody(described, bodyType !== undefined)
  const object = objectOf(Schema.toEncoded(body))
  return { declared: declaredIn("body", object), isOpen: isOpen(object) }
}

/** A name that a part before has too gets the part in front of it: `query.model`, `body.model`. */
const nameOf = ({ part, sentAs }: Declared, taken: { readonly has: (name: string) => boolean }): string => {
  let name = sentAs
  while (taken.has(name)) name = `${part}.${name}`
  return name
}

const isOpen = (object: SchemaAST.Objects | undefined): boolean =>
  object === undefined || object.indexSignatures.length > 0

/** The operation's arguments as one flat list. */
export const fieldsOf = oncePer((operation: Bound): Fields => {
  const { header, query, styles = {} } = operation.request
  const inQuery = declaredIn("query", objectOf(query)).map((field): Declared => {
    const style = Object.hasOwn(styles, field.sentAs) ? styles[field.sentAs] : undefined
    return style === undefined ? field : { ...field, style }
  })
  const inBody = bodyFields(operation.request)
  const declared = [
    ...pathFields(operation),
    ...inQuery,
    ...boundFields(operation).filter(({ sentAs }) => !inQuery.some((field) => field.sentAs === sentAs)),
    ...declaredIn("header", objectOf(header)),
    ...(inBody?.declared ?? [])
  ]
  const byName = new Map<string, Field>()
  for (const field of declared) {
    const name = nameOf(field, byName)
    byName.set(name, { ...field, name })
  }
  const isQueryOpen = query !== undefined && isOpen(objectOf(query)) && takesOtherParameters(operation)
  const others = inBody?.isOpen === true ? "body" : isQueryOpen ? "query" : undefined
  return { byName, others }
})
