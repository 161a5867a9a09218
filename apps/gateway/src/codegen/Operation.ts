import {
  type Documented,
  answerSchema,
  bodySchema,
  eventSchema,
  parametersIn
} from "@tollgate/client/discovered/inDocument"
import { contracts } from "@tollgate/contract/price/contracts"
import { allFieldsOf, type Field, isJson, type Json, list, object, text } from "./text.ts"

export interface Operation extends Documented {
  readonly id: string
  /** The fields of its input, in the order of their parts. */
  readonly input: ReadonlyArray<Field>
  /** Whether it takes arguments that it does not name. */
  readonly isOpen: boolean
  readonly answer: unknown
  readonly event: unknown
  /** For its doc comment. */
  readonly about: ReadonlyArray<string | undefined>
}

const repeats = {
  free: "Safe to repeat.",
  billed: "Repeated only on proof that it did not run, or with the same idempotency key.",
  create: "Never repeated if its outcome is unknown."
} as const

const sentence = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`

/** The author's own description: the gateway adds price and replay class to it. */
const ownDescription = (operation: Json, price: string): string | undefined => {
  const description = text(operation["description"]) ?? ""
  const end = description.lastIndexOf(`Price: ${price}.`)
  return end === -1 ? description : description.slice(0, end)
}

const aboutOf = ({ description: { price: contract, replay }, operation }: Documented): Operation["about"] => {
  const price = text(operation["x-price"]) ?? contract
  return [
    text(operation["summary"]) ?? "",
    ownDescription(operation, price),
    `${sentence(price)}${contracts[contract].startsTask ? " It starts a task." : ""} ${repeats[replay]}`
  ]
}

const parameterField = (parameter: Json): Field => ({
  name: String(parameter["name"]),
  schema: parameter["schema"],
  required: parameter["required"] === true,
  description: text(parameter["description"]) ?? text(object(parameter["schema"])["description"])
})

/** A name that an earlier part has is written with its part, as the client reads it. */
const inOneObject = (
  parts: ReadonlyArray<readonly [part: string, fields: ReadonlyArray<Field>]>
): ReadonlyArray<Field> => {
  const taken = new Set<string>()
  return parts.flatMap(([part, fields]) =>
    fields.map((field) => {
      const name = taken.has(field.name) ? `${part}.${field.name}` : field.name
      taken.add(name)
      return { ...field, name }
    })
  )
}

/** The first of several schemas, if the others are those that the gateway adds: a quote, or an error. */
const firstOf = (schema: unknown, added: RegExp): unknown => {
  const [first, second, ...more] = list(object(schema)["anyOf"])
  const reference = text(object(second)["$ref"]) ?? ""
  return first !== undefined && more.length === 0 && added.test(reference) ? first : schema
}

const isOpenBody = (schema: Json): boolean =>
  schema["additionalProperties"] === true || isJson(schema["additionalProperties"]) || Object.keys(schema).length === 0

export const operationOf = (documented: Documented, resolve: (schema: unknown) => Json): Operation => {
  const { description, operation } = documented
  const body = bodySchema(operation)
  const inBody = description.body === "fields" ? allFieldsOf(body, resolve) : []
  const whole: ReadonlyArray<Field> =
    description.body === "value" ? [{ name: "body", schema: body, required: true, description: undefined }] : []
  return {
    ...documented,
    id: description.id,
    input: inOneObject([
      ["path", parametersIn(operation, "path").map(parameterField)],
      ["query", parametersIn(operation, "query").map(parameterField)],
      ["header", parametersIn(operation, "header").map(parameterField)],
      ["body", [...inBody, ...whole]]
    ]),
    isOpen:
      description.body === "fields"
        ? isOpenBody(resolve(body))
        : list(operation["parameters"]).some((parameter) => object(parameter)["x-others"] === true),
    answer: firstOf(answerSchema(operation), description.price === "free" ? /^(?!)/ : /\/Quote$/),
    event: firstOf(eventSchema(operation), /_error$/),
    about: aboutOf(documented)
  }
}
