import type { Offer, OfferedOperation } from "@tollgate/contract/account/Offer"
import { operations } from "@tollgate/contract/operations"
import { fill } from "@tollgate/contract/Names"
import type { Bound, Operation } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import type { Compress } from "../../document/Compression.ts"
import { type FixedDocument, fixedDocument } from "../../document/FixedDocument.ts"
import type { Gateway } from "../../call/Gateway.ts"
import { modelsOf } from "../docs/Site.ts"
import { detailsOf } from "../catalogue/details.ts"

const inContract: ReadonlySet<string> = new Set(operations.map(({ id }) => id))

const offered = (operation: Bound, described: Operation, { models, prices }: Gateway): OfferedOperation => {
  const details = detailsOf(operation, described, prices, models)
  return {
    id: operation.id,
    template: described.id,
    category: operation.category,
    summary: operation.summary,
    method: operation.method,
    path: operation.path,
    input_schema: details.input_schema,
    is_custom: !inContract.has(described.id),
    example: details.example,
    price: details.price.words,
    is_free: details.price.state === "free",
    streams: details.streams,
    starts_task: operation.limit.tasks !== undefined,
    family: operation.family,
    limits: details.limits.words,
    models: [...new Set(modelsOf(operation.id, details.price, models))]
  }
}

/** How many operations are described before others get a turn. */
const atATime = 20

/** An `Offer`, as JSON. */
const textOf = Effect.fnUntraced(function* (gateway: Gateway, scenarios: Offer["scenarios"]): Effect.fn.Return<string> {
  const { byId, names, operations } = gateway.catalogue
  const all: Array<string> = []
  for (const described of operations) {
    const operation = byId.get(fill(described.id, names))
    if (operation === undefined) continue
    all.push(JSON.stringify(offered(operation, described, gateway)))
    if (all.length % atATime === 0) yield* Effect.yieldNow
  }
  const rest: Omit<Offer, "operations"> = { names, scenarios }
  return `${JSON.stringify(rest).slice(0, -1)},"operations":[${all.join(",")}]}`
})

/** What a gateway offers, made once for each: a reload of the configuration makes a new gateway. */
export const offers = (compress: Compress | undefined) => {
  const made = new WeakMap<Gateway, { readonly scenarios: Offer["scenarios"]; readonly document: FixedDocument }>()
  return Effect.fnUntraced(function* (gateway: Gateway, scenarios: Offer["scenarios"]) {
    const known = made.get(gateway)
    if (known?.scenarios === scenarios) return known.document
    const bytes = Utf8.encode(yield* textOf(gateway, scenarios))
    const document = yield* fixedDocument("offer", bytes, compress)
    made.set(gateway, { scenarios, document })
    return document
  })
}
