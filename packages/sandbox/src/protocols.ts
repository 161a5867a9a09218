import { operations } from "@tollgate/contract/operations"
import { chat } from "./chat/chat.ts"
import { table as data } from "./data/table.ts"
import { embeddings } from "./embeddings/embeddings.ts"
import { generateContent, streamGenerateContent } from "./gemini/gemini.ts"
import { images } from "./images/images.ts"
import { countTokens } from "./messages/countTokens.ts"
import { messages } from "./messages/messages.ts"
import { list, listGemini } from "./models/models.ts"
import { rerank } from "./rerank/rerank.ts"
import { rerankV2 } from "./rerank/rerankV2.ts"
import { research } from "./research/research.ts"
import { responses } from "./responses/responses.ts"
import type { Protocol } from "./Route.ts"
import { sampled } from "./sampled.ts"
import { table as video } from "./video/table.ts"
import { anthropic, gemini, openai, plain, task } from "./wire/refusal.ts"

/** Those that do more than answer with sample values. */
export const written: ReadonlyArray<Protocol> = [
  { errorFormat: plain, namesModel: false, table: { "POST /v1/rerank": rerank, "POST /v2/rerank": rerankV2 } },
  {
    errorFormat: openai,
    namesModel: true,
    table: {
      "POST /v1/chat/completions": chat,
      "POST /v1/responses": responses,
      "POST /v1/deep-research/search": research,
      "POST /v1/embeddings": embeddings,
      "POST /v1/images/generations": images,
      "GET /v1/models": list
    }
  },
  {
    errorFormat: anthropic,
    namesModel: true,
    table: { "POST /v1/messages": messages, "POST /v1/messages/count_tokens": countTokens }
  },
  {
    errorFormat: gemini,
    namesModel: true,
    table: {
      "POST /v1beta/models/{model}:generateContent": generateContent,
      "POST /v1beta/models/{model}:streamGenerateContent": streamGenerateContent,
      "GET /v1beta/models": listGemini
    }
  },
  { errorFormat: plain, namesModel: false, table: data },
  { errorFormat: task, namesModel: false, table: video }
]

const rest = sampled(
  operations,
  written.map(({ table }) => table)
)

/** Everything that the sandbox answers. */
export const protocols: ReadonlyArray<Protocol> = [...written, { errorFormat: plain, namesModel: false, table: rest }]
