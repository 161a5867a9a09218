import { billed, free } from "./errors/Family.ts"
import { countTokens } from "./limits.ts"
import { modelBodyLimit } from "./Operation.ts"
import { estimateTokens } from "./price/tokens.ts"

// What operations of a kind have in common. An operation begins with its kind, and says what is its own. Bundlers drop a kind that
// a page does not need only if it has plain names and values.

/** The gateway answers it itself, for nothing. */
export const ownCall = { errors: free, price: { contract: "free" }, replay: "free", upstream: "gateway" } as const
export const ownRead = {
  method: "GET",
  errors: free,
  price: { contract: "free" },
  replay: "free",
  upstream: "gateway"
} as const

/** The gateway answers from what it keeps for the account, in the format of OpenAI. */
export const keptCall = { ...ownCall, category: "models", family: "openai", beyond: true } as const

/** A read of data that a managed upstream sells. */
export const dataRead = {
  method: "GET",
  errors: billed,
  family: "data",
  replay: "billed",
  upstream: "managed"
} as const

/** A call that a provider carries out and bills. */
export const nativeCall = { method: "POST", errors: billed, replay: "billed", upstream: "native" } as const

export const modelCall = {
  category: "models",
  method: "POST",
  errors: billed,
  expectedTokens: estimateTokens,
  bodyLimit: modelBodyLimit,
  replay: "billed",
  upstream: "native"
} as const

/** The interface leaves both bodies of such a call open. */
export const openBodies = [
  { open: "request", what: "body" },
  { open: "response", what: "body" }
] as const

/** A count of what a request would give a model to read. An upstream carries it out, for nothing. */
export const tokenCount = {
  category: "models",
  method: "POST",
  errors: [400, 401, 404, 429, 500, 503, 502],
  price: { contract: "free" },
  limit: countTokens,
  bodyLimit: modelBodyLimit,
  replay: "free",
  upstream: "native",
  beyond: true
} as const
