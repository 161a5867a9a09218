import { type NanoUsd, usd } from "./Money.ts"

/** Limits of one key: requests and tokens per minute, and concurrent streams and long-running calls. */
export interface Allowance {
  readonly rpm: number
  readonly tpm: number
  readonly concurrency: number
}

export type Tier = "Free" | "Starter" | "Growth" | "Enterprise"

/** Enterprise is missing: each agreement sets its own numbers. */
export const allowances = {
  Free: { rpm: 60, tpm: 60_000, concurrency: 5 },
  Starter: { rpm: 600, tpm: 600_000, concurrency: 20 },
  Growth: { rpm: 3_000, tpm: 3_000_000, concurrency: 50 }
} as const satisfies Record<Exclude<Tier, "Enterprise">, Allowance>

export const growthFrom: NanoUsd = /* @__PURE__ */ usd("500")

/** The tier for a total of top-ups. An operator may set another. */
export const fromTopUps = (total: NanoUsd): Exclude<Tier, "Enterprise"> =>
  total >= growthFrom ? "Growth" : total > 0n ? "Starter" : "Free"

/**
 * The limits of an operation, in addition to the key's requests per minute. `rpm` and `tasks` are limits per key for
 * the group alone.
 */
export interface LimitGroup {
  readonly id: string
  readonly rpm?: number | "upstream"
  readonly tokens: boolean
  readonly concurrency: boolean
  readonly tasks?: number
}

const group = <const Id extends string>(id: Id, rest: Partial<LimitGroup> = {}): LimitGroup & { readonly id: Id } => ({
  tokens: false,
  concurrency: false,
  ...rest,
  id
})

export const limits = {
  standard: group("standard"),
  inference: group("inference", { rpm: "upstream", tokens: true, concurrency: true }),
  /** It costs nothing, and an upstream carries it out. */
  countTokens: group("count_tokens", { rpm: 100, concurrency: true }),
  generateContent: group("generate_content", { rpm: 30, tokens: true, concurrency: true }),
  deepResearch: group("deep_research", { rpm: 5, tokens: true, concurrency: true }),
  image: group("image", { rpm: 30, tokens: true }),
  video: group("video", { concurrency: true, tasks: 3 })
} as const
