/**
 * The format of an error body. Each family follows one vendor's or one group of routes' convention.
 *
 * - `usage`: `{ error: string }`
 * - `data`: `{ error: { code, message, type, request_id } }`
 * - `openai`: `{ error: { message, type, param, code } }`
 * - `anthropic`: `{ type: "error", error: { type, message, code }, request_id }`
 * - `gemini`: `{ error: { code: number, message, status }, code }`
 * - `task`: `{ code, message, request_id }`
 */
export const families = ["usage", "data", "openai", "anthropic", "gemini", "task"] as const
export type Family = (typeof families)[number]
