import { modelList } from "@tollgate/contract/operations/modelList"
import * as Effect from "effect/Effect"
import { created } from "../chat/Exchange.ts"
import { talker } from "../wire/model.ts"
import type { Handler } from "../Work.ts"

const models = [
  { id: talker, says: "Answers conversations.", methods: ["generateContent", "streamGenerateContent"] },
  { id: "sandbox-video", says: "Makes videos.", methods: [] },
  { id: "rerank", says: "Ranks documents.", methods: [] }
]

const free = { operation: modelList.id, billed: {} }

/** In the OpenAI style. */
export const list: Handler = () =>
  Effect.succeed({
    ...free,
    body: {
      object: "list",
      data: models.map(({ id }) => ({ id, object: "model", created, owned_by: "sandbox" }))
    }
  })

/** In the Gemini style. */
export const listGemini: Handler = () =>
  Effect.succeed({
    ...free,
    body: {
      models: models.map(({ id, methods, says }) => ({
        name: `models/${id}`,
        version: "1",
        displayName: id,
        description: says,
        inputTokenLimit: 1_048_576,
        outputTokenLimit: 65_536,
        supportedGenerationMethods: methods
      }))
    }
  })
