import type { Bound, ParameterPending } from "@tollgate/contract/Operation"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

export type Part = "path" | "query" | "body"

/** One argument that the operation declares. */
export interface Field {
  /** Its name in `arguments`. */
  readonly name: string
  readonly part: Part
  /** Its name in the request. */
  readonly sentAs: string
  readonly required: boolean
  /** The schema of its value in the path, the query or the body. */
  readonly schema: Schema.Constraint
  readonly description?: string
}

export interface Fields {
  /** By name, in the order path, query, body. */
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

/** Pending parameters to which the operator gave a name. */
const boundFields = ({ parameters, pending }: Bound): ReadonlyArray<Declared> =>
  Object.entries(parameters).map(([role, sentAs]) => {
    const isRole = (part: (typeof pending)[number]): part is ParameterPending =>
      part.open === "parameter" && part.role === role
    return {
      part: "query",
      sentAs,
      required: false,
      schema: pending.find(isRole)?.type === "integer" ? Schema.Int : Schema.String,
      description: `Bound by the operator: ${role}.`
    }
  })

/** A name that a part before has too gets the part in front of it: `query.model`, `body.model`. */
const nameOf = ({ part, sentAs }: Declared, taken: { readonly has: (name: string) => boolean }): string => {
  let name = sentAs
  while (taken.has(name)) name = `${part}.${name}`
  return name
}

const isOpen = (object: SchemaAST.Objects | undefined): boolean =>
  object === undefined || object.indexSignatures.length > 0

const make = (operation: Bound): Fields => {
  const { body, query } = operation.request
  const inQuery = declaredIn("query", objectOf(query))
  const inBody = body === undefined ? undefined : objectOf(Schema.toEncoded(body))
  const declared = [
    ...pathFields(operation),
    ...inQuery,
    ...boundFields(operation).filter(({ sentAs }) => !inQuery.some((field) => field.sentAs === sentAs)),
    ...declaredIn("body", inBody)
  ]
  const byName = new Map<string, Field>()
  for (const field of declared) {
    const name = nameOf(field, byName)
    byName.set(name, { ...field, name })
  }
  const others =
    body !== undefined && isOpen(inBody) ? "body" : query !== undefined && isOpen(objectOf(query)) ? "query" : undefined
  return { byName, others }
}

const known = new WeakMap<Bound, Fields>()

/** The operation's arguments as one flat list. */
export const fieldsOf = (operation: Bound): Fields => {
  const fields = known.get(operation) ?? make(operation)
  known.set(operation, fields)
  return fields
}
