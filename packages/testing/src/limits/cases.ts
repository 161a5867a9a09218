import type { RateLimits } from "@tollgate/contract/RateLimits"
import { type Allowance, allowances } from "@tollgate/contract/Tier"
import type { Asked } from "./exchange.ts"

/** One step of one key. What is asked is admitted, unless it says `refused`. */
export interface Step {
  /** Milliseconds since the first step. */
  readonly at?: number
  /** The operator changes the allowance. */
  readonly now?: Partial<Allowance>
  readonly ask?: Asked
  /** So often. */
  readonly times?: number
  readonly refused?: { readonly message?: string; readonly retryAfter?: number }
  /** Ends a call, by the order of those admitted, with the tokens it used. */
  readonly end?: number
  readonly used?: number
  /** What is told to the caller after that. Alone it counts as one request. */
  readonly left?: RateLimits
}

export type Case = readonly [name: string, allowance: Partial<Allowance>, steps: ReadonlyArray<Step>]

const chat = (tokens = 0): Asked => ({ at: "chat", tokens })
const deep = (tokens = 100): Asked => ({ at: "deep", tokens })
const rerank: Asked = { at: "rerank" }
const reached = (limit: string) => ({ message: `The key's limit of ${limit} is reached; slow down.` })
const minute = 60_000

/** The rules of a bucket and of a lease. In TypeScript, SQL and Lua the same is expected of them. */
export const cases: ReadonlyArray<Case> = [
  [
    "a bucket refills only after the full millisecond",
    { rpm: 7 },
    [
      { ask: rerank, times: 7 },
      { ask: rerank, refused: { retryAfter: 8_572 } },
      { at: 8_571, ask: rerank, refused: { retryAfter: 1 } },
      { at: 8_572, ask: rerank, left: { remainingRequests: 0 } }
    ]
  ],
  [
    "a clock that is set back refills nothing, and goes on from there",
    { rpm: 60 },
    [
      { at: 1_000_000, ask: rerank, times: 10 },
      { at: 0, ask: rerank, left: { remainingRequests: 49, resetRequests: 11 } },
      { at: 5_000, left: { remainingRequests: 53 } }
    ]
  ],
  [
    "the headers tell how many are left and when the limit is full again",
    allowances.Free,
    [
      { at: 1_000_000, ask: rerank, times: 9 },
      {
        ask: rerank,
        left: {
          limitRequests: 60,
          remainingRequests: 50,
          resetRequests: 1_010,
          limitTokens: 60_000,
          remainingTokens: 60_000,
          resetTokens: 1_000
        }
      },
      { at: 1_002_500, left: { remainingRequests: 51, resetRequests: 1_011 } }
    ]
  ],
  [
    "a request refused for its tokens counts once",
    { rpm: 10, tpm: 1_000 },
    [
      { ask: chat(1_000) },
      { ask: chat(1_000), refused: reached("1000 tokens per minute") },
      { left: { remainingRequests: 7 } }
    ]
  ],
  [
    "tokens are corrected once, to those used",
    { tpm: 10_000 },
    [
      { ask: chat(4_000) },
      { end: 0, used: 1_500, left: { remainingTokens: 8_500 } },
      { end: 0, used: 0 },
      { end: 0, used: 9_000, left: { remainingTokens: 8_500 } },
      { ask: chat(1_000) },
      { end: 1, used: 3_000, left: { remainingTokens: 5_500 } },
      { ask: chat(1_000) },
      { end: 2, left: { remainingTokens: 4_500 } }
    ]
  ],
  [
    "tokens used beyond the estimate delay the next call",
    { tpm: 10_000 },
    [
      { ask: chat(1_000) },
      { end: 0, used: 15_000, left: { remainingTokens: 0 } },
      { ask: chat(2_500), refused: { ...reached("10000 tokens per minute"), retryAfter: 45_000 } },
      { ask: rerank }
    ]
  ],
  [
    "a wildly wrong count of an upstream blocks a key for an hour at most",
    { tpm: 10_000 },
    [
      { ask: chat(10) },
      { end: 0, used: Number.MAX_SAFE_INTEGER },
      { ask: chat(10_000), refused: { retryAfter: 60 * minute } }
    ]
  ],
  [
    "a call larger than the limit is admitted once the bucket is full",
    { tpm: 10_000 },
    [
      { ask: chat(5_000) },
      { ask: chat(100_000), refused: { retryAfter: 30_000 } },
      { at: 30_000, ask: chat(100_000), left: { remainingTokens: 0 } },
      { end: 1, used: 2_000, left: { remainingTokens: 8_000 } }
    ]
  ],
  [
    "a call keeps its lease until it ends",
    { concurrency: 2 },
    [
      { ask: chat(), times: 2 },
      { ask: chat(), refused: { ...reached("2 calls at a time"), retryAfter: 1_000 } },
      { ask: rerank },
      { end: 0 },
      { end: 0 },
      { ask: chat() },
      { ask: chat(), refused: {} }
    ]
  ],
  [
    "a lease expires after fifteen minutes; a call that ends later releases no other lease",
    { concurrency: 2 },
    [
      { ask: chat() },
      { at: minute, ask: chat() },
      { at: 15 * minute - 1, ask: chat(), refused: {} },
      { at: 15 * minute, ask: chat() },
      { ask: chat(), refused: {} },
      { end: 0 },
      { ask: chat(), refused: {} }
    ]
  ],
  [
    "what its group's limit refuses takes nothing",
    { ...allowances.Free, concurrency: 6 },
    [
      { ask: deep(), times: 5 },
      { ask: deep(), times: 20, refused: { ...reached("5 requests per minute to deep_research"), retryAfter: 12_000 } },
      { left: { remainingRequests: 54, remainingTokens: 59_500 } },
      { ask: chat(10) },
      { ask: chat(10), refused: {} }
    ]
  ],
  [
    "what tokens per minute refuse takes nothing, except that it counts as a request",
    { rpm: 60, tpm: 1_000, concurrency: 3 },
    [
      { ask: deep(600) },
      { ask: deep(600), times: 2, refused: {} },
      { left: { remainingRequests: 56, remainingTokens: 400 } },
      { ask: deep(10), left: { limitRequests: 5, remainingRequests: 1 } },
      { ask: deep(10) },
      { ask: chat(10), refused: reached("3 calls at a time") }
    ]
  ],
  [
    "what calls at a time refuse takes nothing",
    { ...allowances.Free, concurrency: 1 },
    [
      { ask: deep() },
      { ask: deep(), times: 20, refused: reached("1 calls at a time") },
      { left: { remainingRequests: 58, remainingTokens: 59_900 } },
      { end: 0, used: 100 },
      { ask: deep(), left: { limitRequests: 5, remainingRequests: 3 } }
    ]
  ],
  [
    "what requests per minute refuse takes nothing",
    { rpm: 2, tpm: 1_000, concurrency: 2 },
    [
      { ask: deep() },
      { end: 0 },
      { ask: rerank },
      { ask: deep(), times: 20, refused: reached("2 requests per minute") },
      { at: minute, ask: deep(), left: { remainingTokens: 900 } },
      { ask: deep(), left: { remainingTokens: 800 } }
    ]
  ],
  [
    "a quote counts as one request, with no tokens and no lease",
    { ...allowances.Free, concurrency: 1 },
    [
      { ask: chat(1_000) },
      { ask: { ...chat(59_500), quote: true }, left: { remainingRequests: 58, remainingTokens: 59_000 } },
      { ask: { ...chat(59_500), quote: true }, left: { remainingRequests: 57, remainingTokens: 59_000 } }
    ]
  ],
  [
    "a larger allowance applies at once, and what was used stays used",
    { rpm: 60 },
    [
      { ask: rerank, times: 60 },
      { ask: rerank, refused: {} },
      { now: { rpm: 600 }, ask: rerank, left: { limitRequests: 600, remainingRequests: 539 } }
    ]
  ],
  [
    "a smaller allowance applies at once, and is used up at worst",
    { rpm: 600 },
    [
      { ask: rerank, times: 500 },
      { now: { rpm: 60 }, ask: rerank, refused: { retryAfter: 1_000 } }
    ]
  ],
  [
    "a call from before a new allowance keeps what others used when it ends",
    { tpm: 60_000 },
    [
      { ask: chat(1_000) },
      { now: { tpm: 600_000 }, ask: chat(400_000) },
      { end: 0, used: 500, left: { limitTokens: 600_000, remainingTokens: 199_500 } }
    ]
  ]
]
