import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import type { ModelPrice } from "@tollgate/contract/price/Price"
import { key, TestGateway } from "./TestGateway.ts"
import * as Effect from "effect/Effect"

/** USD per million tokens. All amounts differ, so that mixed-up token kinds show in the charge. */
export const price: ModelPrice = { input: usd("3"), output: usd("17"), cacheRead: usd("0.5"), cacheWrite: usd("5") }

const perMillion = (tokens = 0, usd: bigint): bigint => BigInt(tokens) * (usd / 1_000_000n)

/** In nano-USD, by the upstream's own count. */
export const priceOf = (billed: Readonly<Record<string, number>>): bigint =>
  perMillion(billed["input"], price.input) +
  perMillion(billed["output"], price.output) +
  perMillion(billed["cacheRead"], price.cacheRead as bigint) +
  perMillion(billed["cacheWrite"], price.cacheWrite as bigint)

/** The operations with a price for the sandbox's model and for pending prices. */
export const priced: ReadonlyArray<Operation> = operations.map((operation): Operation => {
  const own = operation.price
  if (own.contract === "model_tokens") return { ...operation, price: { ...own, models: { sandbox: price } } }
  if (own.contract === "answer_field" && own.perUnit === "pending")
    return { ...operation, price: { ...own, perUnit: usd("0.002") } }
  return "amount" in own && own.amount === "pending"
    ? { ...operation, price: { ...own, amount: usd("0.01") } }
    : operation
})

export const bindings = {
  "deep_research.search": { path: "/v1/deep-research/search" },
  "images.generate": { path: "/v1/images/generations" }
}

export interface Style {
  readonly operation: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: (text: string, more?: object) => string
}

const bearer = { authorization: `Bearer ${key}` }
const messages = (content: string) => [{ role: "user", content }]

/** A request for a stream in each protocol. */
export const streams = {
  openai: {
    operation: "chat.completions",
    path: "/v1/chat/completions",
    headers: bearer,
    body: (text, more = {}) => JSON.stringify({ model: "sandbox", stream: true, messages: messages(text), ...more })
  },
  responses: {
    operation: "responses",
    path: "/v1/responses",
    headers: bearer,
    body: (text, more = {}) => JSON.stringify({ model: "sandbox", stream: true, input: text, ...more })
  },
  anthropic: {
    operation: "messages",
    path: "/v1/messages",
    headers: { "x-api-key": key },
    body: (text, more = {}) =>
      JSON.stringify({ model: "sandbox", max_tokens: 500, stream: true, messages: messages(text), ...more })
  },
  gemini: {
    operation: "models.stream_generate_content",
    path: "/v1beta/models/sandbox:streamGenerateContent?alt=sse",
    headers: { "x-goog-api-key": key },
    body: (text, more = {}) => JSON.stringify({ contents: [{ role: "user", parts: [{ text }] }], ...more })
  },
  "gemini, as an array": {
    operation: "models.stream_generate_content",
    path: "/v1beta/models/sandbox:streamGenerateContent",
    headers: { "x-goog-api-key": key },
    body: (text, more = {}) => JSON.stringify({ contents: [{ role: "user", parts: [{ text }] }], ...more })
  }
} as const satisfies Record<string, Style>

export interface Call {
  readonly id: string
  readonly state: string
  readonly tags: string | null
  readonly cost_state: string | null
  readonly cost_nano: number | null
  readonly charged: number
  readonly reserved: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
}

/** The ledger's rows of all calls. */
export const calls = TestGateway.use(({ sql }) =>
  Effect.orDie(sql.unsafe<Call>("SELECT * FROM calls WHERE owner <> '' ORDER BY created_at, id"))
)

/** The account's total of open reservations. */
export const reservedTotal = TestGateway.use(({ sql }) =>
  Effect.map(Effect.orDie(sql.unsafe<{ reserved: number }>("SELECT reserved FROM accounts")), ([row]) => row?.reserved)
)
