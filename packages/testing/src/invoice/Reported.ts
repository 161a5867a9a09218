import { usd } from "@tollgate/contract/Money"
import type { ModelPrice } from "@tollgate/contract/price/Price"

/** What an invented upstream used for a call, and reports in the words of each format. */
export interface Reported {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly longWrite: number
  readonly searches: number
  readonly tier: "default" | "flex" | "priority"
  readonly served: "m" | "m-2026-08-01" | "large"
}

export const formats = ["chat", "responses", "messages", "gemini"] as const
export type Format = (typeof formats)[number]

const rates = {
  input: usd("2"),
  output: usd("10"),
  cacheRead: usd("0.20"),
  cacheWrite: usd("2.50"),
  cacheWriteLong: usd("4"),
  tiers: { flex: 500_000n, priority: 2_000_000n },
  tools: { web_search: { amount: usd("0.01") }, googleSearch: { amount: usd("0.01") } },
  maxOutput: 2_000,
  contextWindow: 100_000
} satisfies ModelPrice

export const models: Readonly<Record<string, ModelPrice>> = {
  m: rates,
  large: { ...rates, input: usd("20"), output: usd("100") },
  thinker: { ...rates, thinks: true }
}

/** Random reports, which only hold what the format can tell. */
export const reportedBy = (random: () => number, format: Format): Reported => {
  const upTo = (most: number) => Math.floor(random() * most)
  const tells = (formats: ReadonlyArray<Format>) => formats.includes(format)
  return {
    input: upTo(5_000),
    output: 1 + upTo(500),
    cacheRead: upTo(3_000),
    cacheWrite: tells(["chat", "responses", "messages"]) ? upTo(2_000) : 0,
    longWrite: tells(["responses", "messages"]) ? upTo(1_000) : 0,
    searches: tells(["responses", "messages", "gemini"]) && random() < 0.3 ? 1 + upTo(3) : 0,
    tier: (["default", "flex", "priority"] as const)[upTo(3)] ?? "default",
    served: (["m", "m-2026-08-01", "large"] as const)[upTo(3)] ?? "m"
  }
}

/** The price in nano-USD, worked out apart from the contract. */
export const invoiced = ({
  cacheRead,
  cacheWrite,
  input,
  longWrite,
  output,
  searches,
  served,
  tier
}: Reported): bigint => {
  const large = served === "large" ? 10 : 1
  // Rates as nano-USD for each token, doubled so that half of them is whole.
  const tokens =
    input * 4_000 * large + output * 20_000 * large + cacheRead * 400 + cacheWrite * 5_000 + longWrite * 8_000
  const factor = tier === "flex" ? 0.5 : tier === "priority" ? 2 : 1
  return BigInt((tokens * factor) / 2) + BigInt(searches) * 10_000_000n
}

const queries = (count: number) => Array.from({ length: count }, (_, i) => `query ${i}`)

const usageOf = (format: Format, used: Reported): unknown => {
  const { cacheRead, cacheWrite, input, longWrite, output, searches, tier } = used
  const written = cacheWrite + longWrite
  switch (format) {
    case "chat":
      return {
        prompt_tokens: input + cacheRead + written,
        completion_tokens: output,
        prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: written }
      }
    case "responses":
      return {
        input_tokens: input + cacheRead + written,
        output_tokens: output,
        input_tokens_details: {
          cached_tokens: cacheRead,
          cache_write_tokens: written,
          cache_write_tokens_details: { ttl_30m_tokens: cacheWrite, ttl_12h_tokens: longWrite }
        }
      }
    case "messages":
      return {
        input_tokens: input,
        output_tokens: output,
        cache_read_input_tokens: cacheRead,
        cache_creation_input_tokens: written,
        cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: longWrite },
        server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
        service_tier: tier === "default" ? "standard" : tier
      }
    case "gemini":
      return {
        promptTokenCount: input + cacheRead,
        cachedContentTokenCount: cacheRead,
        candidatesTokenCount: output,
        ...(tier === "default" ? {} : { trafficType: `ON_DEMAND_${tier.toUpperCase()}` })
      }
  }
}

/** The whole answer. */
export const answerOf = (format: Format, used: Reported): unknown => {
  const usage = usageOf(format, used)
  const head = { model: used.served, service_tier: used.tier }
  switch (format) {
    case "chat":
      return { ...head, choices: [{ message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }], usage }
    case "responses":
      return {
        ...head,
        output: [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }],
        tool_usage: { web_search: { num_requests: used.searches } },
        usage
      }
    case "messages":
      return { model: used.served, content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", usage }
    case "gemini":
      return {
        modelVersion: used.served,
        candidates: [
          {
            content: { parts: [{ text: "Hi" }] },
            finishReason: "STOP",
            groundingMetadata: { webSearchQueries: queries(used.searches) }
          }
        ],
        usageMetadata: usage
      }
  }
}

/** The events of a streamed answer: some text, then the end with the report. */
export const eventsOf = (format: Format, used: Reported): ReadonlyArray<string> => {
  const usage = usageOf(format, used)
  const head = { model: used.served, service_tier: used.tier }
  const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
  const words = ["Hi", ", ", "you"]
  switch (format) {
    case "chat":
      return [
        ...words.map((content) => event({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
        event({ ...head, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
        event({ ...head, choices: [], usage }),
        "data: [DONE]\n\n"
      ]
    case "responses":
      return [
        event({ type: "response.created", response: { output: [] } }),
        ...words.map((delta) => event({ type: "response.output_text.delta", delta })),
        event({ type: "response.completed", response: answerOf(format, used) })
      ]
    case "messages":
      return [
        event({
          type: "message_start",
          message: { model: used.served, content: [], usage: { ...(usage as object), output_tokens: 1 } }
        }),
        ...words.map((text) => event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
        event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: used.output } }),
        event({ type: "message_stop" })
      ]
    case "gemini":
      return [
        ...words.map((text) => event({ modelVersion: used.served, candidates: [{ content: { parts: [{ text }] } }] })),
        event(answerOf(format, used))
      ]
  }
}
