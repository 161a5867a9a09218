import { fill } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { sample } from "@tollgate/contract/reference/sample"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import type { Handler } from "./BilledAnswer.ts"
import { chat, research } from "./chat/chat.ts"
import { completions } from "./chat/completions.ts"
import { table as data } from "./data/table.ts"
import { batchEmbedContents, embedContent, embeddings } from "./embeddings.ts"
import { countContent, generateContent, streamGenerateContent } from "./gemini/gemini.ts"
import { edits, images } from "./images.ts"
import { countTokens, messages } from "./messages/messages.ts"
import { speech, transcription } from "./audio.ts"
import { list, listGemini } from "./models.ts"
import { moderations } from "./moderations.ts"
import { rerank, rerankV2 } from "./rerank/rerank.ts"
import { countInput, responses } from "./responses/responses.ts"
import type { Protocol, Table } from "./Route.ts"
import { table as video } from "./video/serve.ts"
import { anthropic, gemini, openai, plain, task } from "./wire/refusal.ts"

/** Always the same: the smallest answer that the operation's schema allows, or a file of a few bytes. */
const handlerOf =
  ({ bytes, contentType, id, success }: Operation): Handler =>
  (_, { names }) => {
    const answer = { operation: fill(id, names), billed: { requests: 1 } }
    return Effect.succeed(
      bytes === "always"
        ? {
            ...answer,
            bytes: Utf8.encode("A file from the sandbox"),
            contentType: contentType.replace("*", "x-sandbox")
          }
        : { ...answer, body: sample(success) as Readonly<Record<string, unknown>> }
    )
  }

/** Answers for the operations that no other table answers. */
export const sampled = (operations: ReadonlyArray<Operation>, others: ReadonlyArray<Table>): Table =>
  Object.fromEntries(
    operations
      .filter(({ path, upstream }) => path !== undefined && upstream !== "gateway")
      .map((operation) => [`${operation.method} ${operation.path}`, handlerOf(operation)] as const)
      .filter(([route]) => !others.some((table) => Object.hasOwn(table, route)))
  )

/** Those that do more than answer with sample values. */
export const written: ReadonlyArray<Protocol> = [
  { errorFormat: plain, namesModel: false, table: { "POST /v1/rerank": rerank, "POST /v2/rerank": rerankV2 } },
  {
    errorFormat: openai,
    namesModel: true,
    table: {
      "POST /v1/chat/completions": chat,
      "POST /v1/completions": completions,
      "POST /v1/responses": responses,
      "POST /v1/responses/input_tokens": countInput,
      "POST /v1/moderations": moderations,
      "POST /v1/deep-research/search": research,
      "POST /v1/embeddings": embeddings,
      "POST /v1/images/generations": images,
      "POST /v1/images/edits": edits,
      "POST /v1/audio/speech": speech,
      "POST /v1/audio/transcriptions": transcription,
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
      "POST /v1beta/models/{model}:countTokens": countContent,
      "POST /v1beta/models/{model}:embedContent": embedContent,
      "POST /v1beta/models/{model}:batchEmbedContents": batchEmbedContents,
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

export const protocols: ReadonlyArray<Protocol> = [...written, { errorFormat: plain, namesModel: false, table: rest }]
