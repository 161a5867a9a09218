import { defaults } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { Description } from "@tollgate/sandbox"
import * as Layer from "effect/Layer"
import { Host } from "../Host.ts"
import { price, priced } from "../models.ts"
import { TestGateway } from "../TestGateway.ts"

/** A gateway that offers models under the names that the SDKs' readmes use. The sandbox answers for all of them. */
export const readmeGateway = (models: ReadonlyArray<string>) => {
  const named = Object.fromEntries([...models, Description.model].map((model) => [model, price]))
  const operations = priced.map((operation): Operation =>
    operation.price.contract === "model_tokens"
      ? { ...operation, price: { ...operation.price, models: named } }
      : operation
  )
  const routes = Description.routes(defaults).map(({ operation, to }) => ({
    operation,
    to: to.map((target) => (target.provider.protocol === "json" ? target : { ...target, model: Description.model }))
  }))
  return Host.layerNode.pipe(
    Layer.provideMerge(TestGateway.layer({ operations, routes, limits: true, sandbox: "all" }))
  )
}
