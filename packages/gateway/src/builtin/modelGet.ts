import { messages } from "@tollgate/contract/operations/messages"
import * as Effect from "effect/Effect"
import { refuse } from "../Refused.ts"
import { json } from "./json.ts"
import { anthropicModel, openaiModel } from "./modelList.ts"
import { isAcceptedBy, type Model } from "./Models.ts"
import type { Builtin } from "./Builtin.ts"

/** One model of the list, in the same two formats. Anthropic's has only those that its own operation accepts. */
export const modelGet = (models: ReadonlyArray<Model>): Builtin => {
  const byId = new Map(models.map((model) => [model.id, model]))
  return ({ input: { path }, request }) => {
    const isAnthropic = request.headers["anthropic-version"] !== undefined
    const model = byId.get(String(path.id))
    return model === undefined || (isAnthropic && !isAcceptedBy(model, messages.id))
      ? Effect.fail(
          // The name is not repeated: a path may contain a key.
          refuse("model_not_found", "This model is not offered; GET /v1/models lists those that are.", {
            param: "model"
          })
        )
      : Effect.succeed(json(JSON.stringify(isAnthropic ? anthropicModel(model) : openaiModel(model))))
  }
}
