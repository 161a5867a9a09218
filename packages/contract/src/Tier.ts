import { type NanoUsd, usd } from "./Money.ts"

/** Limits of one key. */
export interface Allowance {
  /** Requests per minute. */
  readonly rpm: number
  /** Tokens per minute. */
  readonly tpm: number
  /** Streams and long-running calls at the same time. */
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
