import type { Operation } from "@tollgate/contract/Operation"
import * as Layer from "effect/Layer"
import { Host } from "../Host.ts"
import { price, priced } from "../models.ts"
import { TestGateway } from "../TestGateway.ts"

const operationsFor = (models: ReadonlyArray<string>) =>
  priced.map((operation): Operation => {
    const own = operation.price
    if (own.contract !== "model_tokens") return operation
    return { ...operation, price: { ...own, models: Object.fromEntries(models.map((model) => [model, price])) } }
  })

/** A gateway over sockets whose upstream is the sandbox, with a price for each of these scenarios of its model. */
export const pricedSandbox = (scenarios: ReadonlyArray<string> = []) => {
  const models = ["sandbox", ...scenarios.map((scenario) => `sandbox:${scenario}`)]
  return Host.layerNode.pipe(
    Layer.provideMerge(TestGateway.layer({ operations: operationsFor(models), sandbox: "all" }))
  )
}
