import { fill, type Names } from "./Names.ts"
import { oncePer } from "./oncePer.ts"

interface Name {
  (names: Names): string
  /** The name in lower case, as received headers have it. */
  readonly key: (names: Names) => string
}

// Cached for each set of names, because every request looks these up. A bundle has only those that it uses.
/* @__NO_SIDE_EFFECTS__ */
const named = (template: string): Name => {
  const of = oncePer((names: Names) => {
    const name = fill(template, names)
    return { name, key: name.toLowerCase() }
  })
  return Object.assign((names: Names) => of(names).name, { key: (names: Names) => of(names).key })
}

/** `quote` asks for the price of the call without executing it. */
export const costMode = named("X-{provider}-Cost-Mode")
/** The caller's price cap for this call, in decimal USD. */
export const maxPrice = named("X-{provider}-Max-Price-Usd")
/** Tags of the call: `team=search,job=nightly`. */
export const tags = named("X-{provider}-Tags")
/** `use` or `refresh` asks for a kept answer; an answer says `hit` or `miss`. */
export const cache = named("X-{provider}-Cache")
export const cost = named("X-{provider}-Cost-Micros-Usd")
export const costState = named("X-{provider}-Cost-State")
/** What the first call was charged, on a replayed answer, which itself costs nothing. */
export const replayedCost = named("X-{provider}-Replayed-Cost-Micros-Usd")
/** `replay` asks for the stored answer of a completed call instead of a 409. */
export const idempotencyMode = named("X-{provider}-Idempotency-Mode")
/** `true` asks for a stream that can be resumed; of its answers it names the call. */
export const resumable = named("X-{provider}-Resumable")
/** The model that an answer is of, under the name that its upstream got, and that upstream. */
export const servedModel = named("X-{provider}-Served-Model")
export const upstream = named("X-{provider}-Upstream")
/** `once` allows a second attempt elsewhere after one that may have run; of an answer, it names the upstream of that first one. */
export const paidAgain = named("X-{provider}-Paid-Again")
/** What the upstream's protocol cannot express, and was left out of the call. */
export const dropped = named("X-{provider}-Dropped")
export const contractHash = /* @__PURE__ */ named("X-{provider}-Contract-Hash")
export const docsRevision = /* @__PURE__ */ named("X-{provider}-Docs-Revision")

/** Selects a scenario of the sandbox. */
export const scenario = named("X-{provider}-Scenario")

export const requestId = "X-Request-ID"
export const idempotencyKey = "Idempotency-Key"
/** How often an SDK has sent the request before, by itself. The SDKs of OpenAI and Anthropic send it with every request. */
export const retryCount = "X-Stainless-Retry-Count"
/** The last event that a caller has got of a stream that it resumes. */
export const lastEventId = "Last-Event-ID"
export const idempotentReplayed = "Idempotent-Replayed"

/** `false`: do not send this request again by yourself. The SDKs of OpenAI and Anthropic obey it. */
export const shouldRetry = "X-Should-Retry"
/** The same as `Retry-After` if the wait is longer than a minute: for callers that read it here. */
export const longRetryAfter = "X-Retry-After"
/** Anthropic's name of `X-Request-ID`. */
export const anthropicRequestId = "Request-Id"
