import { modelList } from "@tollgate/contract/operations/modelList"
import * as Effect from "effect/Effect"
import type { Handler } from "./BilledAnswer.ts"
import { created } from "./model/answerer.ts"
import { chatModel } from "./wire/body.ts"

const models = [
  { id: chatModel, description: "Answers conversations.", methods: ["generateContent", "streamGenerateContent"] },
  { id: "sandbox-video", description: "Makes videos.", methods: [] },
  { id: "rerank", description: "Ranks documents.", methods: [] }
]

const free = { operation: modelList.id, billed: {} }

export const list: Handler = () =>
  Effect.succeed({
    ...free,
    body: {
      object: "list",
      data: models.map(({ id }) => ({ id, object: "model", created, owned_by: "sandbox" }))
    }
  })

export const listGemini: Handler = () =>
  Effect.succeed({
    ...free,
    body: {
      models: models.map(({ description, id, methods }) => ({
        name: `models/${id}`,
        version: "1",
        displayName: id,
        description,
        inputTokenLimit: 1_048_576,
        outputTokenLimit: 65_536,
        supportedGenerationMethods: methods
      }))
    }
  })
