import { shown } from "./exact.ts"

/** What some protocol has no words for. */
interface Loss {
  readonly words: string
  /** An answer is right without it. It is dropped everywhere, and named. */
  readonly isHint?: true
}

export const losses = {
  limit: { words: "the most tokens of an answer" },
  temperature: { words: "the temperature" },
  hotTemperature: { words: "a temperature above 1" },
  reasoningTemperature: { words: "a temperature beside reasoning" },
  topP: { words: "`top_p`" },
  topK: { words: "`top_k`" },
  frequencyPenalty: { words: "a frequency penalty" },
  presencePenalty: { words: "a presence penalty" },
  seed: { words: "a seed" },
  tier: { words: "a service tier" },
  stop: { words: "stop sequences" },
  jsonFormat: { words: "JSON without a schema as the answer" },
  systemLater: { words: "instructions after the first turn" },
  prefill: { words: "an answer that the model goes on with" },
  fileById: { words: "files by id" },
  fileByUrl: { words: "files by address" },
  audio: { words: "sound" },
  video: { words: "video" },
  fileInResult: { words: "files as the result of a tool" },
  sealed: { words: "signatures of another provider's reasoning" },
  own: { words: "fields, tools and parts that only one protocol has" },
  cache: { words: "cache marks", isHint: true },
  oneTool: { words: "one tool at a time", isHint: true },
  resultError: { words: "the mark that a tool failed", isHint: true },
  noReasoning: { words: "no reasoning at all", isHint: true },
  strict: { words: "strict tools", isHint: true },
  user: { words: "the end user", isHint: true },
  metadata: { words: "metadata", isHint: true },
  verbosity: { words: "the verbosity", isHint: true },
  cacheKey: { words: "the key of the prompt cache", isHint: true },
  safetyIdentifier: { words: "the safety identifier", isHint: true }
} as const satisfies Record<string, Loss>

export type LossName = keyof typeof losses

export const isHint = (name: LossName): boolean => "isHint" in losses[name]

/** Gathers what could not be said while a request is written. */
export class Lost {
  readonly names = new Set<LossName>()
  /** Of `own`. */
  readonly fields = new Set<string>()

  add(name: LossName): void {
    this.names.add(name)
  }

  /** A type that is no text has no name. */
  addOwn(field: unknown): void {
    this.names.add("own")
    this.fields.add(typeof field === "string" ? shown(field) : "type")
  }

  /** What was lost in the caller's words where they are known. */
  inWords(written: (name: LossName) => string | undefined, only: "asked" | "all"): ReadonlyArray<string> {
    const named = [...this.names].filter((name) => name !== "own" && (only === "all" || !isHint(name)))
    return [...named.map((name) => written(name) ?? losses[name].words.replaceAll("`", "")), ...this.fields]
  }
}
