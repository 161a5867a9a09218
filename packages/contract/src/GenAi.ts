import { errorFamilies } from "./errors/families.ts"
import type { Bound } from "./Operation.ts"
import { batchEmbedContents } from "./operations/batchEmbedContents.ts"
import { completions } from "./operations/completions.ts"
import { embedContent } from "./operations/embedContent.ts"
import { embeddings } from "./operations/embeddings.ts"
import { isByModel } from "./price/Price.ts"

// The names of OpenTelemetry's conventions for generative AI, which are still in development.

/** `gen_ai.operation.name`. `undefined`: the operation asks no model. */
export const operationName = ({ category, family, id, price }: Bound): string | undefined => {
  if (category === "rerank") return "rerank"
  if (category !== "models") return undefined
  if (id === embeddings.id || id === embedContent.id || id === batchEmbedContents.id) return "embeddings"
  const { genAiOperation } = errorFamilies[family]
  if (genAiOperation !== undefined) return genAiOperation
  if (id === completions.id) return "text_completion"
  return isByModel(price) && price.asks !== "audio" && price.defaultOutputLimit > 0 ? "chat" : id
}

const providers: Readonly<Record<string, string>> = { openai: "openai", anthropic: "anthropic", gemini: "gcp.gemini" }

/** `gen_ai.provider.name`: whose format it is. Many others speak the same one. `undefined` if it has no name. */
export const providerName = (protocol: string): string | undefined =>
  Object.hasOwn(providers, protocol) ? providers[protocol] : undefined
