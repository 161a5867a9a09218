/** The format of an error body. Each family follows one vendor's or one group of routes' convention. */
export const families = ["usage", "data", "openai", "anthropic", "gemini", "task"] as const
export type Family = (typeof families)[number]

/** Error statuses of a free operation. */
export const free = [400, 401, 404, 429, 500, 503] as const
/** Error statuses of a billed operation that calls an upstream. */
export const billed = [400, 401, 402, 404, 409, 422, 429, 500, 502, 503] as const
