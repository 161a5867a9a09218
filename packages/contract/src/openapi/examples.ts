import type { Catalogue } from "../Catalogue.ts"
import { fill } from "../Names.ts"
import type { Bound, Operation } from "../Operation.ts"
import type { Example } from "../reference/Example.ts"
import { examplesOf, written } from "../reference/examples.ts"
import type { Parameter } from "./parameters.ts"
import { isJson } from "./schema30.ts"

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
  (written[operation.id] ?? []).filter(canBeSent).map((example) => ({ name: nameOf(example), example }))

const inSchema = (schema: unknown, text: string): unknown =>
  isJson(schema) && (schema.type === "integer" || schema.type === "number") ? Number(text) : text

const valueIn = (
  parameter: Parameter,
  { headers = {}, path = {}, query = {} }: Example,
  known: ReadonlySet<string>
): unknown => {
  const { name, schema } = parameter
  if (parameter.in === "path") return path[name]
  if (parameter.in === "header") return headers[name]
  if (parameter.style !== "form") {
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

/** The examples of a body. */
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

/** The operations that continue an operation, with the parameters that its answer has for them. */
export const links = (
  described: Operation,
  catalogue: Catalogue,
  documented: ReadonlyArray<Bound>
): object | undefined => {
  const found = catalogue.operations.flatMap((other) => {
    const parameters = fromAnswer(examplesOf(other)[0], described.id)
    const id = fill(other.id, catalogue.names)
    return parameters === undefined || !documented.some((operation) => operation.id === id)
      ? []
      : [[id, { operationId: id, parameters }] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}
