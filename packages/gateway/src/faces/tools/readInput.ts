import { parseUsd } from "@tollgate/contract/Money"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseText } from "../../internal/parseJson.ts"
import { amountOf } from "./amount.ts"
import { inputError } from "./inputError.ts"
import type { ToolError } from "./shapes.ts"

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => Predicate.isObject(value) && !Array.isArray(value)

/** A decimal text as a number of the same amount. Any other text stays, and is refused. */
const amount = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  const exact = Option.getOrUndefined(parseUsd(value))
  return exact !== undefined && amountOf(Number(value)) === exact ? Number(value) : value
}

/** The JSON text of an object as the object. */
const object = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  const parsed = parseText(value)
  return Result.isSuccess(parsed) && isFields(parsed.success) ? parsed.success : value
}

const calls = (value: unknown): unknown => (Array.isArray(value) ? value.map(corrected) : value)

const corrections: Readonly<Record<string, (value: unknown) => unknown>> = {
  arguments: object,
  calls,
  max_price_usd: amount,
  max_total_usd: amount
}

/** Corrects common mistakes of models where only one meaning is possible. */
function corrected(input: unknown): unknown {
  if (!isFields(input)) return input
  const changed = Object.entries(corrections).filter(([name]) => Object.hasOwn(input, name))
  return { ...input, ...Object.fromEntries(changed.map(([name, correct]) => [name, correct(input[name])])) }
}

const options = { onExcessProperty: "error", errors: "first" } as const

/** Makes the reader of a tool's input. */
export const inputReader = <I extends Schema.ConstraintDecoder<unknown>>(schema: I, jsonSchema: object) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (payload: unknown): Result.Result<I["Type"], ToolError> => {
    const input = corrected(payload)
    return Result.mapError(decode(input, options), ({ issue }) => inputError(jsonSchema, input, issue))
  }
}
