import * as Names from "@tollgate/contract/Names"
import { BillingLog, Description } from "@tollgate/sandbox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ConverseModel, converseModel } from "../cloud/converseModel.ts"
import { Host } from "../Host.ts"
import { price, priced } from "../models.ts"
import { TestGateway } from "../TestGateway.ts"
import { names } from "./Uses.ts"

const sandbox = Description.routes(Names.defaults)
const provider = (operation: string) => {
  const target = sandbox.find((route) => route.operation === operation)?.to[0]
  if (target === undefined) throw new Error(operation)
  return target.provider
}

/** One of each protocol. */
const upstreams = {
  "chat completions": { ...provider("chat.completions"), lacks: ["responses"] },
  responses: { ...provider("chat.completions"), lacks: ["chat"] },
  messages: provider("messages"),
  generateContent: provider("models.generate_content")
} as const

export type Upstream = keyof typeof upstreams | "Converse"
export const protocols: ReadonlyArray<Upstream> = [
  ...(Object.keys(upstreams) as Array<keyof typeof upstreams>),
  "Converse"
]

const asked = ["chat.completions", "responses", "messages", "models.generate_content", "models.stream_generate_content"]

const models = Object.fromEntries(["sandbox", ...Object.values(names)].map((name) => [name, price]))
const operations = priced.map((operation) =>
  operation.price.contract === "model_tokens" ? { ...operation, price: { ...operation.price, models } } : operation
)

/** What the upstream has billed. */
export class Billed extends Context.Service<Billed, BillingLog["Service"]["entries"]>()(
  "@tollgate/testing/translation/Billed"
) {}

/** A gateway with no upstream but this. */
export const hostFor = (name: Upstream) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const target: Pick<ConverseModel, "model" | "provider"> & Partial<ConverseModel> =
        name === "Converse" ? yield* converseModel : { provider: upstreams[name], model: "sandbox" }
      const { model, provider } = target
      const gateway = TestGateway.layer({
        operations,
        routes: asked.map((operation) => ({ operation, to: [{ provider, model, weight: 1 }] }))
      })
      const billed = Layer.effect(
        Billed,
        TestGateway.use(({ billingLog }) => Effect.succeed(target.billed ?? billingLog.entries))
      )
      return Layer.merge(Host.layerNode, billed).pipe(Layer.provideMerge(gateway))
    })
  )
