import type { Offer, OfferedOperation } from "@tollgate/contract/account/Offer"
import { fill } from "@tollgate/contract/Names"
import type { Bound, Operation } from "@tollgate/contract/Operation"
import type { Gateway } from "../../Gateway.ts"
import { modelsOf } from "../docs/examplesFor.ts"
import { detailsOf } from "../tools/catalogue/details.ts"
import { fieldsOf } from "../tools/catalogue/fields.ts"

const partsOf = (operation: Bound): OfferedOperation["parts"] =>
  Object.fromEntries([...fieldsOf(operation).byName.values()].map(({ name, part }) => [name, part]))

const bodyArgument = (operation: Bound): Pick<OfferedOperation, "body_argument"> => {
  const whole = [...fieldsOf(operation).byName.values()].find(({ isWhole }) => isWhole === true)
  return whole === undefined ? {} : { body_argument: whole.name }
}

const offered = (operation: Bound, described: Operation, { models, prices }: Gateway): OfferedOperation => {
  const details = detailsOf(operation, described, prices, models)
  return {
    id: operation.id,
    template: described.id,
    category: operation.category,
    summary: operation.summary,
    description: operation.description ?? null,
    method: operation.method,
    path: operation.path,
    input_schema: details.inputSchema,
    parts: partsOf(operation),
    ...bodyArgument(operation),
    example: details.example,
    price: details.price.words,
    is_free: details.price.state === "free",
    streams: details.streams,
    starts_task: operation.limit.tasks !== undefined,
    replay: operation.replay,
    family: operation.family,
    limits: details.limits.words,
    pending: details.pending,
    models: [...new Set(modelsOf(operation.id, details.price, models))]
  }
}

const offerOf = (gateway: Gateway): Omit<Offer, "scenarios"> => {
  const { byId, names, operations } = gateway.catalogue
  return {
    names,
    operations: operations.flatMap((described) => {
      const operation = byId.get(fill(described.id, names))
      return operation === undefined ? [] : [offered(operation, described, gateway)]
    })
  }
}

/** What a gateway offers, made once for each: a reload of the configuration makes a new gateway. */
export const offers = () => {
  const made = new WeakMap<Gateway, ReturnType<typeof offerOf>>()
  return (gateway: Gateway): ReturnType<typeof offerOf> => {
    const offer = made.get(gateway) ?? offerOf(gateway)
    made.set(gateway, offer)
    return offer
  }
}
