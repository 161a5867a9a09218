import { messages } from "@tollgate/contract/operations/messages"
import * as Effect from "effect/Effect"
import { refuse } from "@tollgate/contract/errors/Refused"
import { json } from "../../exchange/Answer.ts"
import { anthropicModel, openaiModel } from "./modelList.ts"
import { isAcceptedBy, type Model } from "../../exchange/Models.ts"
import type { Builtin } from "../../exchange/Builtin.ts"

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
