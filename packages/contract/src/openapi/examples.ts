import type { Catalogue } from "../Catalogue.ts"
import { fill } from "../Names.ts"
import type { Bound, Operation } from "../Operation.ts"
import type { Example } from "../reference/Example.ts"
import { writtenFor } from "../reference/examples.ts"
import type { Parameter } from "./parameters.ts"
import { isJson } from "./jsonSchema.ts"

/** Examples of one request have the same name in all its parts. */
export interface Named {
  readonly name: string
  readonly example: Example
}

const nameOf = ({ title = "example" }: Example): string => title.toLowerCase().replace(/\W+/g, "_")

/** A program can send these as they are: their values are not from another answer. */
const canBeSent = ({ address, variables = [] }: Example): boolean => address === undefined && variables.length === 0

/** The written examples of an operation, which succeed in the sandbox. */
export const namedExamples = (operation: Operation): ReadonlyArray<Named> =>
  writtenFor(operation.id)
    .filter(canBeSent)
    .map((example) => ({ name: nameOf(example), example }))

const inSchema = (schema: unknown, text: string): unknown =>
  isJson(schema) && (schema.type === "integer" || schema.type === "number") ? Number(text) : text

const valueIn = (
  parameter: Parameter,
  { header = {}, headers = {}, path = {}, query = {} }: Example,
  known: ReadonlySet<string>
): unknown => {
  const { name, schema } = parameter
  if (parameter.in === "path") return path[name]
  if (parameter.in === "header") return header[name] ?? headers[name]
  if (parameter["x-others"] !== true) {
    const text = query[String(parameter["x-role"] ?? name)]
    return text === undefined ? undefined : inSchema(schema, text)
  }
  const rest = Object.entries(query).filter(([name]) => !known.has(name))
  return rest.length === 0 ? undefined : Object.fromEntries(rest)
}

const objectOf = (entries: ReadonlyArray<readonly [string, object]>) =>
  entries.length === 0 ? {} : { examples: Object.fromEntries(entries) }

/** Adds to each parameter its values in the examples. */
export const withExamples = (parameters: ReadonlyArray<Parameter>, examples: ReadonlyArray<Named>) => {
  const known = new Set(parameters.map(({ name, "x-role": role }) => String(role ?? name)))
  return parameters.map((parameter) => ({
    ...parameter,
    ...objectOf(
      examples.flatMap(({ example, name }) => {
        const value = valueIn(parameter, example, known)
        return value === undefined ? [] : [[name, { value }] as const]
      })
    )
  }))
}

export const bodyExamples = (examples: ReadonlyArray<Named>) =>
  objectOf(
    examples.flatMap(({ example: { body, title }, name }) =>
      body === undefined ? [] : [[name, { ...(title === undefined ? {} : { summary: title }), value: body }] as const]
    )
  )

const isFieldPath = /^\w+(?:\.\w+)*$/

/** The parameters of an example, if some come from fields of another operation's answer, and all others are fixed. */
const fromAnswer = (example: Example, answerTo: string): Readonly<Record<string, string>> | undefined => {
  const { address, path = {}, query = {}, variables = [] } = example
  const fields = new Map<string, string>()
  for (const { name, source } of variables) {
    if (!("answerTo" in source) || source.answerTo !== answerTo || !isFieldPath.test(source.read)) return undefined
    fields.set(`$${name}`, `$response.body#/${source.read.replaceAll(".", "/")}`)
  }
  if (address !== undefined || fields.size === 0) return undefined
  return Object.fromEntries(
    Object.entries({ ...path, ...query }).map(([name, value]) => [name, fields.get(value) ?? value])
  )
}

/** The operations whose written example takes a value from another operation's answer, by that operation. */
const continuations = (operations: ReadonlyArray<Operation>): ReadonlyMap<string, ReadonlyArray<Operation>> => {
  const found = new Map<string, Array<Operation>>()
  for (const operation of operations) {
    const sources = (writtenFor(operation.id)[0]?.variables ?? []).map(({ source }) => source)
    for (const answerTo of new Set(sources.flatMap((source) => ("answerTo" in source ? [source.answerTo] : [])))) {
      found.set(answerTo, [...(found.get(answerTo) ?? []), operation])
    }
  }
  return found
}

/** The operations that continue an operation, with the parameters that its answer has for them. */
export const makeLinks = (
  { names, operations }: Catalogue,
  documented: ReadonlyMap<string, Bound>
): ((described: Operation) => object | undefined) => {
  const after = continuations(operations)
  return (described) => {
    const found = (after.get(described.id) ?? []).flatMap((other) => {
      const [example] = writtenFor(other.id)
      const parameters = example && fromAnswer(example, described.id)
      const id = fill(other.id, names)
      const body = example?.body === undefined ? {} : { requestBody: example.body }
      const link = { operationId: id, parameters, ...body }
      return parameters === undefined || !documented.has(id) ? [] : [[id, link] as const]
    })
    return found.length === 0 ? undefined : Object.fromEntries(found)
  }
}
