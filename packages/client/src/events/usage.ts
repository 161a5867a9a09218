import { type Event, object } from "./Event.ts"

/** Tokens. Cache reads and writes are not included in `input`. */
export interface Usage {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

const known = (usage: { readonly [K in keyof Usage]: number | undefined }): Usage =>
  Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined))

const ofOpenAi = (usage: Event): Usage => {
  const prompt = count(usage["prompt_tokens"])
  const output = count(usage["completion_tokens"])
  if (prompt === undefined || output === undefined) return {}
  const cacheRead = Math.min(prompt, count(object(usage["prompt_tokens_details"])["cached_tokens"]) ?? 0)
  return { input: prompt - cacheRead, output, cacheRead }
}

const ofResponses = (usage: Event): Usage => {
  const prompt = count(usage["input_tokens"])
  const output = count(usage["output_tokens"])
  if (prompt === undefined || output === undefined) return {}
  const details = object(usage["input_tokens_details"])
  const cacheRead = Math.min(prompt, count(details["cached_tokens"]) ?? 0)
  const cacheWrite = Math.min(prompt - cacheRead, count(details["cache_write_tokens"]) ?? 0)
  return { input: prompt - cacheRead - cacheWrite, output, cacheRead, cacheWrite }
}

const ofAnthropic = (usage: Event): Usage =>
  known({
    input: count(usage["input_tokens"]),
    output: count(usage["output_tokens"]),
    cacheRead: count(usage["cache_read_input_tokens"]),
    cacheWrite: count(usage["cache_creation_input_tokens"])
  })

const ofGemini = (usage: Event): Usage => {
  const prompt = count(usage["promptTokenCount"])
  if (prompt === undefined) return {}
  const more = (name: string) => count(usage[name]) ?? 0
  const cacheRead = Math.min(prompt, more("cachedContentTokenCount"))
  return {
    input: prompt - cacheRead + more("toolUsePromptTokenCount"),
    output: more("candidatesTokenCount") + more("thoughtsTokenCount"),
    cacheRead
  }
}

/**
 * The token counts of an event or an answer, in any of the protocols; empty if it has none. Those of a stream come in several
 * events: `usage = { ...usage, ...usageOf(event) }` for each.
 */
export const usageOf = (event: Event): Usage => ({
  ...ofOpenAi(object(event["usage"])),
  ...ofAnthropic(object(object(event["message"])["usage"])),
  ...("input_tokens_details" in object(event["usage"]) ? ofResponses : ofAnthropic)(object(event["usage"])),
  ...ofResponses(object(object(event["response"])["usage"])),
  ...ofGemini(object(event["usageMetadata"]))
})
