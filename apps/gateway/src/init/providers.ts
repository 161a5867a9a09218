/** What one operation of a provider is called with. */
export interface ProviderRoute {
  readonly operation: string
  /** Missing: every model without a route of its own. */
  readonly model?: string
}

/** A provider of models whose key may be in the environment. */
export interface Provider {
  /** The name of the upstream, and of the provider in the price list. */
  readonly name: string
  /** The names under which its SDKs look for a key. */
  readonly variables: ReadonlyArray<string>
  /** Where its SDKs look for another address. */
  readonly addressVariable?: string
  /** Its own address; empty for a server that only speaks its protocol. */
  readonly baseUrl: string
  readonly protocol: "openai" | "anthropic" | "gemini" | "json"
  readonly routes: ReadonlyArray<ProviderRoute>
}

const google = "gemini-*"

export const providers: ReadonlyArray<Provider> = [
  {
    name: "openai",
    variables: ["OPENAI_API_KEY"],
    addressVariable: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com",
    protocol: "openai",
    routes: [
      { operation: "chat.completions", model: "gpt-*" },
      { operation: "responses", model: "gpt-*" },
      { operation: "embeddings", model: "text-embedding-*" }
    ]
  },
  {
    name: "anthropic",
    variables: ["ANTHROPIC_API_KEY"],
    baseUrl: "https://api.anthropic.com",
    protocol: "anthropic",
    routes: [{ operation: "messages", model: "claude-*" }]
  },
  {
    name: "google",
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    baseUrl: "https://generativelanguage.googleapis.com",
    protocol: "gemini",
    routes: [
      { operation: "models.generate_content", model: google },
      { operation: "models.stream_generate_content", model: google }
    ]
  },
  {
    name: "cohere",
    variables: ["CO_API_KEY", "COHERE_API_KEY"],
    baseUrl: "https://api.cohere.com",
    protocol: "json",
    routes: [{ operation: "rerank.v2" }]
  }
]

/** A server that speaks OpenAI's protocol, whose models and prices are not known. */
export const compatible = (name: string): Provider => ({
  name,
  variables: [],
  baseUrl: "",
  protocol: "openai",
  routes: [{ operation: "chat.completions" }, { operation: "responses" }, { operation: "embeddings" }]
})
