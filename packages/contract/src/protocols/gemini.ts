import type { JsonObject, OpenAnswer, Word } from "../internal/JsonObject.ts"

/** One part of a content. Exactly one of its kinds is set. */
export interface GeminiPart {
  readonly text?: string
  /** Whether `text` is the model's reasoning. */
  readonly thought?: boolean
  /** Send it back unchanged with the results of functions. */
  readonly thoughtSignature?: string
  /** Base64. */
  readonly inlineData?: { readonly mimeType: string; readonly data: string }
  readonly fileData?: { readonly mimeType?: string; readonly fileUri: string }
  /** The model asks the program to call a function. */
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: JsonObject }
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response: JsonObject }
  readonly executableCode?: JsonObject
  readonly codeExecutionResult?: JsonObject
  readonly videoMetadata?: JsonObject
}

export interface GeminiContent {
  readonly role?: "user" | "model"
  readonly parts: ReadonlyArray<GeminiPart>
}

export interface GeminiFunction {
  readonly name: string
  readonly description?: string
  /** A schema in Gemini's own format. */
  readonly parameters?: JsonObject
  readonly parametersJsonSchema?: JsonObject
  readonly response?: JsonObject
}

export interface GeminiTool {
  readonly functionDeclarations?: ReadonlyArray<GeminiFunction>
  readonly googleSearch?: JsonObject
  readonly codeExecution?: JsonObject
  readonly urlContext?: JsonObject
}

export interface GeminiConfig {
  readonly maxOutputTokens?: number
  readonly candidateCount?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  readonly stopSequences?: ReadonlyArray<string>
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly responseMimeType?: Word<"text/plain" | "application/json">
  readonly responseSchema?: JsonObject
  readonly responseJsonSchema?: JsonObject
  readonly responseModalities?: ReadonlyArray<Word<"TEXT" | "IMAGE" | "AUDIO">>
  readonly responseLogprobs?: boolean
  readonly logprobs?: number
  readonly thinkingConfig?: {
    readonly thinkingBudget?: number
    readonly thinkingLevel?: Word<"low" | "high">
    readonly includeThoughts?: boolean
  }
  readonly speechConfig?: JsonObject
  readonly mediaResolution?: string
}

/** The body of a request in the Gemini format. Other fields of a model go into `extra` of the call's options. */
export interface GenerateContentBody {
  readonly contents: ReadonlyArray<GeminiContent>
  readonly systemInstruction?: GeminiContent
  readonly generationConfig?: GeminiConfig
  readonly tools?: ReadonlyArray<GeminiTool>
  readonly toolConfig?: {
    readonly functionCallingConfig?: {
      readonly mode?: Word<"AUTO" | "ANY" | "NONE">
      readonly allowedFunctionNames?: ReadonlyArray<string>
    }
  }
  readonly safetySettings?: ReadonlyArray<{ readonly category: string; readonly threshold: string }>
  readonly cachedContent?: string
}

/** What is counted: contents, or a whole request. */
export interface CountContentBody {
  readonly contents?: ReadonlyArray<GeminiContent>
  readonly generateContentRequest?: Partial<GenerateContentBody> & { readonly model?: string }
}

/** What is embedded. The path names the model, of each request of a batch too. */
export interface EmbedContentBody {
  readonly model?: string
  readonly content: GeminiContent
  readonly taskType?: string
  readonly title?: string
  readonly outputDimensionality?: number
}

/** Tokens. */
export interface GeminiUsage extends OpenAnswer {
  readonly promptTokenCount?: number
  readonly candidatesTokenCount?: number
  readonly totalTokenCount?: number
  readonly cachedContentTokenCount?: number
  readonly thoughtsTokenCount?: number
  readonly toolUsePromptTokenCount?: number
}

export interface GeminiCandidate extends OpenAnswer {
  /** Missing if the answer was withheld, for example for safety. */
  readonly content?: GeminiContent
  /** Missing until the candidate has ended. */
  readonly finishReason?: Word<"STOP" | "MAX_TOKENS" | "SAFETY" | "RECITATION" | "MALFORMED_FUNCTION_CALL">
  readonly index?: number
  readonly safetyRatings?: ReadonlyArray<JsonObject>
  readonly citationMetadata?: JsonObject
  readonly groundingMetadata?: JsonObject
}

/** A whole answer in the Gemini format, or one event of a stream. Fields that are not described here are kept. */
export interface GenerateContentResult extends OpenAnswer {
  /** Missing if the prompt was blocked: `promptFeedback` has the reason. */
  readonly candidates?: ReadonlyArray<GeminiCandidate>
  readonly promptFeedback?: { readonly blockReason?: string; readonly [field: string]: unknown }
  readonly usageMetadata?: GeminiUsage
  readonly modelVersion?: string
  readonly responseId?: string
}
