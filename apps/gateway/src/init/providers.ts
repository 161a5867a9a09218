import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

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
  /** The field for a limit of the output, if it is not OpenAI's own. */
  readonly outputLimit?: "max_tokens"
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
    name: "xai",
    variables: ["XAI_API_KEY"],
    baseUrl: "https://api.x.ai",
    protocol: "openai",
    routes: [
      { operation: "chat.completions", model: "grok-*" },
      { operation: "responses", model: "grok-*" }
    ]
  },
  {
    name: "deepseek",
    variables: ["DEEPSEEK_API_KEY"],
    baseUrl: "https://api.deepseek.com",
    protocol: "openai",
    outputLimit: "max_tokens",
    routes: [{ operation: "chat.completions", model: "deepseek-*" }]
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

/** A provider whose key is in the environment. */
export interface Found {
  readonly provider: Provider
  /** The variable that has its key. Missing for a server that needs none. */
  readonly variable: string | undefined
  readonly baseUrl: string
}

const isSet = (name: string) => Effect.map(Effect.option(Config.NonEmptyString(name)), Option.isSome)

const firstSet = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  for (const name of names) if (yield* isSet(name)) return name
  return undefined
})

/** The providers whose keys are set. Keys are only looked for, never read. */
export const found = Effect.gen(function* () {
  const all: Array<Found> = []
  for (const provider of providers) {
    const variable = yield* firstSet(provider.variables)
    if (variable === undefined) continue
    const address = provider.addressVariable
    const own = address === undefined ? Option.none() : yield* Effect.option(Config.NonEmptyString(address))
    all.push({ provider, variable, baseUrl: Option.getOrElse(own, () => provider.baseUrl) })
  }
  return all
})

/** The variable for the key of an address that a person names: `GROQ_API_KEY` for `groq`. */
export const keyVariable = Effect.fnUntraced(function* (name: string) {
  const variable = `${name.toUpperCase().replaceAll("-", "_")}_API_KEY`
  return (yield* isSet(variable)) ? variable : undefined
})
