import { Client, embeddings, termsGroup } from "@tollgate/client"
import * as EmbeddingModel from "effect/ai/EmbeddingModel"
import * as Model from "effect/ai/Model"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vectorsOf } from "../conversation/parts.ts"
import { aiError } from "./errors.ts"

/** A model of vectors. Texts that are embedded at the same time, under the same budgets and settings, are one call. */
export const embeddingModel = (
  model: string,
  { dimensions }: { readonly dimensions?: number } = {}
): Model.Model<"tollgate", EmbeddingModel.EmbeddingModel, Client> =>
  Model.make(
    "tollgate",
    model,
    Layer.effect(
      EmbeddingModel.EmbeddingModel,
      Effect.flatMap(Client, (client) =>
        EmbeddingModel.make({
          batchKey: termsGroup,
          embedMany: ({ inputs }) =>
            embeddings({ model, input: inputs, ...(dimensions === undefined ? {} : { dimensions }) }).pipe(
              Effect.provideService(Client, client),
              Effect.mapError(aiError("embedMany")),
              Effect.map((answer) => {
                const { tokens, vectors } = vectorsOf(answer)
                return { results: vectors, usage: { inputTokens: tokens } }
              })
            )
        })
      )
    )
  )
