import type { Bound, Operation, ParameterPending } from "@tollgate/contract/Operation"
import { withSamples } from "@tollgate/contract/reference/Example"
import { examplesOf } from "@tollgate/contract/reference/examples"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Field, fieldsOf, type Part } from "./fields.ts"

type Arguments = Readonly<Record<string, unknown>>

const isScalar = (value: unknown): boolean =>
  Predicate.isString(value) || Predicate.isNumber(value) || Predicate.isBoolean(value)

/** What the text in an address means, if that can be written as JSON. */
const valueOf = ({ schema }: Field, text: string): unknown => {
  if (schema === Schema.Int) return Number(text)
  const decoded = Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>)(text)
  return Result.isSuccess(decoded) && isScalar(decoded.success) ? decoded.success : text
}

/** The name of a query parameter; examples name pending ones by their role. `undefined`: it has no name yet. */
const boundName = ({ parameters, pending }: Bound, name: string): string | undefined =>
  pending.some((part): part is ParameterPending => part.open === "parameter" && part.role === name)
    ? parameters[name]
    : name

const objectOf = (value: unknown): object => (Predicate.isObject(value) ? value : {})

/** Arguments that the operation accepts. `described` is the operation before it was bound. */
export const exampleOf = (operation: Bound, described: Operation, model: string | undefined): Arguments => {
  const [example] = examplesOf(described)
  const { byName } = fieldsOf(operation)
  const found = new Map([...byName.values()].map((field) => [`${field.part} ${field.sentAs}`, field]))
  const out: Array<readonly [string, unknown]> = []
  const add = (part: Part, sentAs: string, value: unknown) => {
    const field = found.get(`${part} ${sentAs}`)
    const isModel = sentAs === "model" && model !== undefined
    const given = field !== undefined && part !== "body" && typeof value === "string" ? valueOf(field, value) : value
    out.push([field?.name ?? sentAs, isModel ? model : given])
  }
  for (const [name, value] of Object.entries(example.path ?? {})) add("path", name, withSamples(example, value))
  for (const [name, value] of Object.entries(example.query ?? {})) {
    const sentAs = boundName(operation, name)
    if (sentAs !== undefined) add("query", sentAs, withSamples(example, value))
  }
  for (const [name, value] of Object.entries(example.header ?? {})) add("header", name, withSamples(example, value))
  const whole = [...byName.values()].find(({ isWhole }) => isWhole === true)
  if (whole === undefined) for (const [name, value] of Object.entries(objectOf(example.body))) add("body", name, value)
  else out.push([whole.name, example.body])
  return Object.fromEntries(out)
}
