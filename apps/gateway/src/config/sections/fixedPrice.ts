import type { Fixed, Variant } from "@tollgate/contract/price/Price"
import * as Schema from "effect/Schema"
import { text, Usd, wholeNumber } from "../text/values.ts"

/** A field of the body, with the names of the objects around it: `parameters.resolution`. */
const Field = text(/^[^\s.]+(?:\.[^\s.]+){0,3}$/u, 'the path of a field of the body, such as "parameters.resolution"')

const Value = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))

const Times = Schema.Struct({
  field: Field,
  unit: text(/^[a-z]{1,20}$/u, 'a word in the singular, such as "second"'),
  otherwise: wholeNumber(1_000_000).annotate({ description: "The number if the request leaves the field out" })
}).annotate({ description: "The amount is due as often as this field of the request says" })

const Where = Schema.Record(Field, Schema.Union([Value, Schema.Array(Value)])).annotate({
  description: "The values of fields of the request; null is a field that is left out"
})

/** What a fixed price may have besides its amount, for operations with a body. */
export const FixedFields = {
  times: Schema.optionalKey(Times),
  variants: Schema.optionalKey(
    Schema.Array(Schema.Struct({ where: Where, amount: Usd })).check(
      Schema.isMinLength(1, { expected: "at least one variant" })
    )
  )
}

type FixedFields = Schema.Struct<typeof FixedFields>["Type"]

const pathOf = (field: string): ReadonlyArray<string> => field.split(".")

const variantOf = ({ amount, where }: NonNullable<FixedFields["variants"]>[number]): Variant => ({
  amount,
  where: Object.entries(where).map(([field, values]) => ({
    field: pathOf(field),
    values: Array.isArray(values) ? values : [values]
  }))
})

/** How a fixed price depends on the request, as the file says. */
export const fixedBy = ({ times, variants }: FixedFields): Omit<Fixed, "amount"> => ({
  ...(times === undefined ? {} : { times: { ...times, field: pathOf(times.field) } }),
  ...(variants === undefined ? {} : { variants: variants.map(variantOf) })
})
