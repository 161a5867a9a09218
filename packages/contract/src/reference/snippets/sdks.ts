import { literal, Variable } from "./input.ts"

/** An official SDK that can call a gateway, and how it is pointed there. */
interface Sdk {
  readonly title: string
  /** On npm. */
  readonly package: string
  /** Where its calls go, from the gateway's address. */
  readonly address: (baseUrl: string) => string
  /** The header in which it sends the key. */
  readonly header: string
  /** The variables of the environment that it reads, if the code passes neither. */
  readonly environment?: { readonly address: string; readonly key: string }
  /** The lines that make its client. */
  readonly setUp: (baseUrl: string) => string
}

const key = new Variable("process.env.TOLLGATE_KEY")
/** For an SDK that takes no `undefined`. */
const presentKey = new Variable("process.env.TOLLGATE_KEY!")

const made = (name: string, type: string, options: object): string => {
  const start = `const ${name} = new ${type}(`
  return `${start}${literal(options, "", start.length + 1)})\n`
}

const openaiAddress = (baseUrl: string): string => `${baseUrl}/v1`

export const sdks = {
  openai: {
    title: "OpenAI SDK",
    package: "openai",
    address: openaiAddress,
    header: "Authorization: Bearer",
    environment: { address: "OPENAI_BASE_URL", key: "OPENAI_API_KEY" },
    setUp: (baseUrl) =>
      `import OpenAI from "openai"\n\n${made("openai", "OpenAI", { baseURL: openaiAddress(baseUrl), apiKey: key })}`
  },
  anthropic: {
    title: "Anthropic SDK",
    package: "@anthropic-ai/sdk",
    address: (baseUrl) => baseUrl,
    header: "x-api-key",
    environment: { address: "ANTHROPIC_BASE_URL", key: "ANTHROPIC_API_KEY" },
    setUp: (baseUrl) =>
      `import Anthropic from "@anthropic-ai/sdk"\n\n${made("anthropic", "Anthropic", { baseURL: baseUrl, apiKey: key })}`
  },
  google: {
    title: "Google SDK",
    package: "@google/genai",
    address: (baseUrl) => baseUrl,
    header: "x-goog-api-key",
    environment: { address: "GOOGLE_GEMINI_BASE_URL", key: "GEMINI_API_KEY" },
    setUp: (baseUrl) =>
      `import { GoogleGenAI } from "@google/genai"\n\n${made("google", "GoogleGenAI", { apiKey: presentKey, httpOptions: { baseUrl } })}`
  },
  cohere: {
    title: "Cohere SDK",
    package: "cohere-ai",
    address: (baseUrl) => baseUrl,
    header: "Authorization: Bearer",
    setUp: (baseUrl) =>
      `import { CohereClient } from "cohere-ai"\n\n${made("cohere", "CohereClient", { environment: baseUrl, token: presentKey, maxRetries: 0 })}`
  }
} as const satisfies Record<string, Sdk>
