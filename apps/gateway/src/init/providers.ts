import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

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
  /** The models that it serves each operation for. `undefined`: every model without a route of its own. */
  readonly routes: Readonly<Record<string, string | undefined>>
}

export const providers: ReadonlyArray<Provider> = [
  {
    name: "openai",
    variables: ["OPENAI_API_KEY"],
    addressVariable: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com",
    protocol: "openai",
    routes: { "chat.completions": "gpt-*", responses: "gpt-*", embeddings: "text-embedding-*" }
  },
  {
    name: "anthropic",
    variables: ["ANTHROPIC_API_KEY"],
    baseUrl: "https://api.anthropic.com",
    protocol: "anthropic",
    routes: { messages: "claude-*" }
  },
  {
    name: "google",
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    baseUrl: "https://generativelanguage.googleapis.com",
    protocol: "gemini",
    routes: { "models.generate_content": "gemini-*", "models.stream_generate_content": "gemini-*" }
  },
  {
    name: "xai",
    variables: ["XAI_API_KEY"],
    baseUrl: "https://api.x.ai",
    protocol: "openai",
    routes: { "chat.completions": "grok-*", responses: "grok-*" }
  },
  {
    name: "deepseek",
    variables: ["DEEPSEEK_API_KEY"],
    baseUrl: "https://api.deepseek.com",
    protocol: "openai",
    outputLimit: "max_tokens",
    routes: { "chat.completions": "deepseek-*" }
  },
  {
    name: "cohere",
    variables: ["CO_API_KEY", "COHERE_API_KEY"],
    baseUrl: "https://api.cohere.com",
    protocol: "json",
    routes: { "rerank.v2": undefined }
  }
]

/** A server that speaks OpenAI's protocol, whose models and prices are not known. */
export const compatible = (name: string): Provider => ({
  name,
  variables: [],
  baseUrl: "",
  protocol: "openai",
  routes: { "chat.completions": undefined, responses: undefined, embeddings: undefined }
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
