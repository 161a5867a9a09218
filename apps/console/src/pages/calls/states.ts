import type { LoggedCall, LoggedState } from "@tollgate/contract/account/LoggedCall"

export interface StateWords {
  readonly label: string
  /** One sentence. */
  readonly meaning: string
}

export const stateWords: Readonly<Record<LoggedState, StateWords>> = {
  open: { label: "Open", meaning: "The call is in flight; its price is reserved." },
  running: {
    label: "Running",
    meaning: "The task that this call started goes on; its price is reserved until it ends."
  },
  settled: { label: "Settled", meaning: "The call ended, and its charge was taken from the balance." },
  released: {
    label: "Released",
    meaning: "The call ended in a way that costs nothing; what was reserved is free again."
  },
  refused: {
    label: "Refused",
    meaning: "The gateway refused the call after its price was reserved; nothing was sent."
  },
  unknown: {
    label: "Unknown",
    meaning: "It is not known whether the call ran. What was reserved is free again, and nothing was charged."
  },
  replayed: {
    label: "Replayed",
    meaning: "The call got the stored answer of an earlier one with the same idempotency key, at no charge."
  }
}

export const isState = (text: string | undefined): text is LoggedState => text !== undefined && text in stateWords

export const costWords = {
  settled: { label: "Settled", meaning: "The charge follows from what the upstream reported." },
  estimated: {
    label: "Estimated",
    meaning: "The upstream did not report all of its usage, so that the charge was counted from the text."
  }
} as const

/** How the charge was found. */
export const costMeaning = ({ cost_state, kept }: Pick<LoggedCall, "cost_state" | "kept">): string | undefined => {
  if (cost_state === null) return undefined
  return kept ? "The charge is a share of what the kept answer cost at first." : costWords[cost_state].meaning
}

export type CostState = keyof typeof costWords

export const isCostState = (text: string | undefined): text is CostState => text !== undefined && text in costWords

export const hasEnded = ({ state }: Pick<LoggedCall, "state">): boolean => state !== "open" && state !== "running"

export type TagKind = "good" | "warn" | "bad" | "accent" | undefined

export const tagKind = ({ failed, state }: Pick<LoggedCall, "state" | "failed">): TagKind => {
  if (!hasEnded({ state })) return "accent"
  if (state === "unknown") return "warn"
  if (failed || state === "refused") return "bad"
  return state === "settled" ? "good" : undefined
}
