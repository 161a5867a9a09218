/** Where the model protocols let a caller limit the answer; the first one present counts. */
export const outputLimit = [["max_completion_tokens"], ["max_tokens"], ["generationConfig", "maxOutputTokens"]] as const

/** Reckoned with where the caller sets no limit. */
export const defaultOutputLimit = 4_096
