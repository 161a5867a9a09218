import { operations } from "@tollgate/contract/operations"
import { shapeFields } from "@tollgate/contract/price/answerShape"
import { contractOf } from "@tollgate/contract/price/contracts"
import { type FieldPath, isByModel } from "@tollgate/contract/price/Price"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Answer } from "../../exchange/Reply.ts"
import { tryParse } from "../../internal/jsonValue.ts"
import { isJson, isSuccess } from "./message.ts"
import { parseFields } from "./parseFields.ts"

/** Operations that answer with completions, however an operator prices them. */
export const completions: ReadonlySet<string> = new Set(
  operations.filter(({ price }) => isByModel(price)).map(({ id }) => id)
)

/** What any answer may declare: a failure, also of a tool. */
const marks: ReadonlyArray<FieldPath> = [["success"], ["isError"]]

/** The fields on which the cost of an answer depends. `undefined`: those of a completion, which is parsed whole. */
const fieldsOf = ({ operation, price }: Priced): ReadonlyArray<FieldPath> | undefined => {
  const own = completions.has(operation.id) ? undefined : contractOf(price).answerFields?.(price)
  return own && [...own, ...marks, ...shapeFields(operation.success).map((name) => [name])]
}

interface Read {
  readonly fields: ReadonlySet<string>
  readonly value: unknown
}

const read = new WeakMap<Uint8Array, Read>()

const nameOf = (field: FieldPath): string => JSON.stringify(field)

/** Reads a large answer in slices, as far as its cost depends on it, before `parsedAnswer` is asked. */
export function* readAnswer(exchange: Priced, { bytes, contentType, status }: Answer): Generator<void, void> {
  const fields = isSuccess(status) && isJson(contentType) ? fieldsOf(exchange) : undefined
  if (fields !== undefined)
    read.set(bytes, { fields: new Set(fields.map(nameOf)), value: yield* parseFields(bytes, fields) })
}

/** The answer, or of one that was read before only the fields on which its cost depends. */
export const parsedAnswer = (exchange: Priced, bytes: Uint8Array): unknown => {
  const known = read.get(bytes)
  return known !== undefined && fieldsOf(exchange)?.every((field) => known.fields.has(nameOf(field))) === true
    ? known.value
    : tryParse(bytes)
}
