import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type Operation, parts } from "../../Operation.ts"
import { multipartType } from "../../Upload.ts"
import { type Example, variableIn, withSamples } from "../Example.ts"
import { writer } from "../words.ts"

/** The name of a variable in place of a value. */
export class Variable {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** A value as TypeScript. */
export const literal = writer({
  scalar: (value) =>
    value instanceof Variable ? value.name : Predicate.isObjectOrArray(value) ? undefined : JSON.stringify(value),
  key: keyOf,
  field: (name, value, text) => (value instanceof Variable && value.name === name ? name : `${keyOf(name)}: ${text}`)
})

type Values = Readonly<Record<string, string>>

/** What the texts of a query mean, as far as its schema says. */
const decoded = (query: Schema.ConstraintCodec<unknown, unknown>, values: Values): object => {
  const result = Schema.decodeUnknownResult(query as Schema.ConstraintDecoder<unknown>)(values)
  return result._tag === "Success" && Predicate.isObject(result.success) ? result.success : values
}

const withVariables = (example: Example, given: Values, values: object): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const variable = variableIn(example, given[name] ?? "")
      return [name, variable === undefined ? value : new Variable(variable)]
    })
  )

/** A pending parameter has the type of its role. */
const withRoles = ({ pending }: Operation, values: object): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isInteger = pending.some(
        (part) => part.open === "parameter" && part.role === name && part.type === "integer"
      )
      return [name, isInteger ? Number(value) : value]
    })
  )

/** Bytes are an argument of their own. */
const bodyOf = ({ request: { bodyType } }: Operation, body: unknown): unknown =>
  bodyType === undefined || bodyType === multipartType ? body : { body }

const partOf = (operation: Operation, example: Example, part: (typeof parts)[number]): unknown => {
  if (part === "body") return bodyOf(operation, example.body ?? {})
  const given = example[part] ?? {}
  const sampled = Object.fromEntries(Object.entries(given).map(([name, text]) => [name, withSamples(example, text)]))
  const schema = operation.request[part]
  return withVariables(example, given, withRoles(operation, schema === undefined ? sampled : decoded(schema, sampled)))
}

/** The argument of the client's function: its only part, or several by name. `undefined`: it takes none. */
export const inputOf = (operation: Operation, example: Example): unknown => {
  const present = parts.filter((part) => operation.request[part] !== undefined)
  const [only] = present
  if (only === undefined) return undefined
  return present.length === 1
    ? partOf(operation, example, only)
    : Object.fromEntries(present.map((part) => [part, partOf(operation, example, part)]))
}

/** All arguments in one object, as `call(id, input)` takes them. `undefined`: two parts share a name, or a body is no object. */
export const flatInputOf = (operation: Operation, example: Example): object | undefined => {
  const values = parts
    .filter((part) => operation.request[part] !== undefined)
    .map((part) => partOf(operation, example, part))
  if (!values.every((value) => Predicate.isObject(value))) return undefined
  const entries = values.flatMap((value) => Object.entries(value))
  return new Set(entries.map(([name]) => name)).size === entries.length ? Object.fromEntries(entries) : undefined
}

/** Without the field that asks for a stream: the function does that. */
export const withoutStream = (input: unknown): unknown => {
  if (!Predicate.isObject(input)) return input
  const { stream: _, ...rest } = input as Readonly<Record<string, unknown>>
  return rest
}
