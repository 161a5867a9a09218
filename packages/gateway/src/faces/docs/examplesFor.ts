import type { Operation } from "@tollgate/contract/Operation"
import type { Example } from "@tollgate/contract/reference/Example"
import { examplesOf } from "@tollgate/contract/reference/examples"
import * as Predicate from "effect/Predicate"
import { isAcceptedBy, type Model } from "../../exchange/Prices.ts"
import type { PriceDetails } from "../tools/catalogue/priceDetails.ts"

/** The models that the operation can be called with here, those with a price first. */
export const modelsOf = (id: string, price: PriceDetails, models: ReadonlyArray<Model>): ReadonlyArray<string> => [
  ...price.models.map(({ model }) => model),
  ...models.filter((model) => model.operations !== undefined && isAcceptedBy(model, id)).map((model) => model.id)
]

const withModel = (example: Example, models: ReadonlyArray<string>): Example => {
  const { body, path } = example
  const written = path?.model ?? (Predicate.hasProperty(body, "model") ? body.model : undefined)
  const [model] = models
  if (typeof written !== "string" || model === undefined || models.includes(written)) return example
  return path?.model === undefined
    ? { ...example, body: Object.assign({}, body, { model }) }
    : { ...example, path: { ...path, model } }
}

/** The examples of an operation, with a model that this gateway has. */
export const examplesFor = (
  operation: Operation,
  id: string,
  price: PriceDetails,
  models: ReadonlyArray<Model>
): readonly [Example, ...ReadonlyArray<Example>] => {
  const here = modelsOf(id, price, models)
  const [first, ...others] = examplesOf(operation)
  return [withModel(first, here), ...others.map((example) => withModel(example, here))]
}
