/** A picture of one point. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** What callers ask for. SDKs do different things for models that they know. */
export const names = { openai: "gpt-5.2", anthropic: "claude-sonnet-4-6", google: "gemini-3-flash-preview" } as const

export const question = "Why do rivers bend?"
export const weatherQuestion = "What is the weather in Bergen? Use get_weather."
export const weather = {
  name: "get_weather",
  description: "The weather in a town",
  parameters: {
    type: "object",
    properties: { town: { type: "string" } },
    required: ["town"],
    additionalProperties: false
  }
} as const
export const found = "4 degrees and rain"
export const schema = {
  type: "object",
  properties: { name: { type: "string" }, length: { type: "number" } },
  required: ["name", "length"],
  additionalProperties: false
} as const

/** A prompt that is worth keeping. */
export const longPrompt = `${"A river carries sand from one bank to the other. ".repeat(10)}${question}`
/** Makes the upstream read so many tokens of the prompt from its cache. */
export const keptTokens = 20
export const kept = { "x-tollgate-scenario": `cached; tokens=${keptTokens}` }

export const turns = 10

/** What an SDK reports of the cache. `written`: of a program that marks what to keep. */
export interface Kept {
  readonly read: number | null | undefined
  readonly written?: number | null | undefined
}

/** What a program does with a model. Each gives the text, or the value, that it ends with. */
export interface Uses {
  readonly text: () => Promise<string>
  readonly stream: () => Promise<string>
  readonly tools: () => Promise<string>
  readonly object: () => Promise<unknown>
  readonly vision: () => Promise<string>
  /** The text after a tool that was called with reasoning. */
  readonly reasoning: () => Promise<string>
  readonly cache: () => Promise<Kept>
  readonly turns: () => Promise<string>
}

/** A program with its SDK at the defaults. What comes back is what the program sees. */
export type Client = (baseUrl: string) => Uses
