import Anthropic from "@anthropic-ai/sdk"
import { GoogleGenAI } from "@google/genai"
import { CohereClient } from "cohere-ai"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import OpenAI from "openai"
import { Host } from "../Host.ts"
import { priced } from "../models.ts"
import { key, TestGateway } from "../TestGateway.ts"
import { httpUpstream, providerAt } from "../upstream.ts"

const messages = [{ role: "user" as const, content: "Why do rivers bend?" }]

type SdkCall = (baseUrl: string) => PromiseLike<unknown>

/** One call with each official SDK, with all its defaults but the address and the key. Cohere's would wait a minute, twice. */
export const sdkCalls: Readonly<Record<"openai" | "anthropic" | "genai" | "cohere", SdkCall>> = {
  openai: (baseUrl) =>
    new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1` }).chat.completions.create({ model: "sandbox", messages }),
  anthropic: (baseUrl) =>
    new Anthropic({ apiKey: key, baseURL: baseUrl }).messages.create({ model: "sandbox", max_tokens: 20, messages }),
  genai: (baseUrl) =>
    new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl } }).models.generateContent({
      model: "sandbox",
      contents: "Why do rivers bend?"
    }),
  cohere: (baseUrl) =>
    new CohereClient({ token: key, environment: baseUrl }).rerank(
      { query: "q", documents: ["a"], model: "rerank" },
      { maxRetries: 0 }
    )
}

/** A gateway over sockets whose operations all have this one upstream. */
export const gatewayTo = Effect.fnUntraced(function* (answer: Parameters<typeof httpUpstream>[0]) {
  const upstream = yield* httpUpstream(answer)
  const at = { ...providerAt(upstream.port), breaker: false }
  const layer = Host.layerNode.pipe(
    Layer.provideMerge(
      TestGateway.layer({
        operations: priced,
        providers: {
          "chat.completions": { ...at, protocol: "openai" },
          messages: { ...at, protocol: "anthropic" },
          "models.generate_content": { ...at, protocol: "gemini" },
          "video.create": at,
          rerank: at
        }
      })
    )
  )
  return { received: upstream.received, layer }
})
