import { fill } from "@tollgate/contract/Names"
import { rerank } from "@tollgate/contract/operations/rerank"
import type { Gateway } from "@tollgate/gateway"

/** A call to try a gateway with. */
export interface TryIt {
  readonly path: string
  /** Missing for a GET. */
  readonly body?: object
}

const question = "Which river is longest?"

const documents = ["Mount Everest is the highest mountain.", "The Nile is the longest river in Africa."]

/** Short calls of the operations with models, in the order of preference. */
const conversations: Readonly<Record<string, (model: string) => object>> = {
  "chat.completions": (model) => ({ model, messages: [{ role: "user", content: question }] }),
  responses: (model) => ({ model, input: question }),
  messages: (model) => ({ model, max_tokens: 200, messages: [{ role: "user", content: question }] }),
  "models.generate_content": () => ({ contents: [{ parts: [{ text: question }] }] })
}

/** A call that this gateway can carry out: `isRouted` says whether an upstream executes an operation. */
export const tryIt = (
  { catalogue, models, prices }: Gateway.Gateway,
  isRouted: (operation: string) => boolean
): TryIt => {
  if (isRouted(fill(rerank.id, catalogue.names))) {
    return { path: rerank.path ?? "", body: { query: question.toLowerCase(), documents } }
  }
  for (const [id, body] of Object.entries(conversations)) {
    const operation = catalogue.byId.get(id)
    if (operation === undefined) continue
    const found = models.find(({ id: model, operations }) => {
      const price = prices.of(operation, model)
      return (
        operations?.includes(id) === true && price.contract === "model_tokens" && Object.hasOwn(price.models, model)
      )
    })
    if (found !== undefined) return { path: operation.path.replace("{model}", found.id), body: body(found.id) }
  }
  return { path: "/v1/models" }
}
