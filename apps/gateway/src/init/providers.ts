import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { withoutSlash } from "../config/text/values.ts"

/** A provider of models whose key may be in the environment. */
export interface Provider {
  readonly name: string
  /** Of the provider in the price list, if it is not this one. */
  readonly pricedAs?: string
  /** The names under which its SDKs look for a key. */
  readonly variables: ReadonlyArray<string>
  /** Where its SDKs look for another address. */
  readonly addressVariable?: string
  /** What its SDKs add to that address. */
  readonly addressSuffix?: string
  /** Its own address; empty for a server that only speaks its protocol, and in a cloud. */
  readonly baseUrl: string
  /** The variables of its place in a cloud, without which a key is none for it. */
  readonly cloud?: { readonly needs: ReadonlyArray<string>; readonly of: (values: ReadonlyArray<string>) => object }
  readonly protocol: "openai" | "anthropic" | "gemini" | "bedrock" | "json"
  /** The header of its key, if it is not that of the protocol. */
  readonly header?: string
  /** The field for a limit of the output, if it is not OpenAI's own. */
  readonly outputLimit?: "max_tokens"
  /** What it refuses of the protocol. */
  readonly lacks?: ReadonlyArray<string>
  /** The field in which it reports what a call cost. */
  readonly reportedCost?: string
  /** The models that it serves each operation for. `undefined`: every model without a route of its own. */
  readonly routes: Readonly<Record<string, string | undefined>>
}

/** OpenAI's own is a newer one. */
const outputLimit = "max_tokens"

/** Of OpenAI's protocol. Without a pattern it serves models under the names of their makers: all without a route of their own. */
const openai = (
  name: string,
  variable: string,
  baseUrl: string,
  { models, ...differs }: Partial<Provider> & { readonly models?: string } = {}
): Provider => ({
  name,
  variables: [variable],
  baseUrl,
  protocol: "openai",
  routes: { "chat.completions": models },
  ...differs
})

export const providers: ReadonlyArray<Provider> = [
  openai("openai", "OPENAI_API_KEY", "https://api.openai.com", {
    addressVariable: "OPENAI_BASE_URL",
    routes: { "chat.completions": "gpt-*", responses: "gpt-*", embeddings: "text-embedding-*" }
  }),
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
  openai("xai", "XAI_API_KEY", "https://api.x.ai", { routes: { "chat.completions": "grok-*", responses: "grok-*" } }),
  openai("deepseek", "DEEPSEEK_API_KEY", "https://api.deepseek.com", {
    outputLimit,
    lacks: ["responses"],
    models: "deepseek-*"
  }),
  {
    name: "cohere",
    variables: ["CO_API_KEY", "COHERE_API_KEY"],
    baseUrl: "https://api.cohere.com",
    protocol: "json",
    routes: { "rerank.v2": undefined }
  },
  openai("mistral", "MISTRAL_API_KEY", "https://api.mistral.ai", {
    outputLimit,
    lacks: ["responses", "stream_options"],
    routes: { "chat.completions": "mistral-*", embeddings: "mistral-embed*" }
  }),
  openai("groq", "GROQ_API_KEY", "https://api.groq.com/openai", { lacks: ["logit_bias", "logprobs", "top_logprobs"] }),
  openai("together", "TOGETHER_API_KEY", "https://api.together.xyz", { outputLimit, lacks: ["responses"] }),
  openai("fireworks", "FIREWORKS_API_KEY", "https://api.fireworks.ai/inference", {
    outputLimit,
    models: "accounts/fireworks/*"
  }),
  openai("openrouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api", { reportedCost: "usage.cost" }),
  openai("azure", "AZURE_OPENAI_API_KEY", "", {
    addressVariable: "AZURE_OPENAI_ENDPOINT",
    addressSuffix: "/openai",
    header: "api-key"
  }),
  {
    name: "bedrock",
    variables: ["AWS_ACCESS_KEY_ID"],
    baseUrl: "",
    cloud: { needs: ["AWS_SECRET_ACCESS_KEY", "AWS_REGION"], of: ([, region]) => ({ aws: { region } }) },
    protocol: "bedrock",
    routes: { messages: "global.anthropic.*", "chat.completions": "global.amazon.*" }
  },
  {
    name: "vertex",
    pricedAs: "google",
    variables: ["GOOGLE_APPLICATION_CREDENTIALS"],
    baseUrl: "",
    cloud: {
      needs: ["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"],
      of: ([file, project, location]) => ({ google: { project, location, serviceAccount: { file } } })
    },
    protocol: "gemini",
    routes: { "models.generate_content": "gemini-*", "models.stream_generate_content": "gemini-*" }
  }
]

/** Servers of one's own, at their usual addresses. */
export const servers: Readonly<Record<string, string>> = {
  ollama: "http://127.0.0.1:11434/v1",
  vllm: "http://127.0.0.1:8000/v1"
}

/** A server that speaks OpenAI's protocol, whose models and prices are not known. */
export const compatible = (name: string): Provider =>
  openai(name, "", "", {
    variables: [],
    routes: { "chat.completions": undefined, responses: undefined, embeddings: undefined }
  })

export interface Found {
  readonly provider: Provider
  /** The variable that has its key. Missing for a server that needs none. */
  readonly variable: string | undefined
  readonly baseUrl: string
  readonly cloud?: object
}

const valueOf = (name: string) => Effect.map(Effect.option(Config.NonEmptyString(name)), Option.getOrUndefined)

const isSet = (name: string) => Effect.map(Effect.option(Config.NonEmptyString(name)), Option.isSome)

const firstSet = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  for (const name of names) if (yield* isSet(name)) return name
  return undefined
})

/** The providers whose keys are set. Keys are only looked for, never read. */
export const found = Effect.gen(function* () {
  const all: Array<Found> = []
  for (const provider of providers) {
    const { addressSuffix = "", addressVariable, cloud } = provider
    const variable = yield* firstSet(provider.variables)
    const values = yield* Effect.forEach(cloud?.needs ?? [], valueOf)
    const isPlaced = values.every((value) => value !== undefined)
    const own = addressVariable === undefined ? undefined : yield* valueOf(addressVariable)
    const baseUrl = own === undefined ? provider.baseUrl : withoutSlash(own) + addressSuffix
    if (variable === undefined || !isPlaced || (cloud === undefined && baseUrl === "")) continue
    all.push({ provider, variable, baseUrl, ...(cloud === undefined ? {} : { cloud: cloud.of(values) }) })
  }
  return all
})

/** The variable for the key of an address that a person names: `GROQ_API_KEY` for `groq`. */
export const keyVariable = Effect.fnUntraced(function* (name: string) {
  const variable = `${name.toUpperCase().replaceAll("-", "_")}_API_KEY`
  return (yield* isSet(variable)) ? variable : undefined
})
