/** The format of an error body. Each family follows one vendor's or one group of routes' convention. */
export const families = ["usage", "data", "openai", "anthropic", "gemini", "task"] as const
export type Family = (typeof families)[number]
