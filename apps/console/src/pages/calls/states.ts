import type { LoggedCall, LoggedState } from "@tollgate/contract/account/LoggedCall"

export interface StateWords {
  readonly label: string
  /** One sentence. */
  readonly meaning: string
}

export const stateWords: Readonly<Record<LoggedState, StateWords>> = {
  open: { label: "Open", meaning: "The call is under way. Its price is reserved." },
  running: {
    label: "Running",
    meaning: "The task that this call started is still running. Its price stays reserved until it ends."
  },
  settled: { label: "Settled", meaning: "The call ended. Its charge was taken from the balance." },
  released: {
    label: "Not charged",
    meaning: "The call ended and costs nothing. The reserved amount is free again."
  },
  refused: {
    label: "Refused",
    meaning: "The gateway refused the call after it reserved the price. Nothing was sent."
  },
  unknown: {
    label: "Unknown",
    meaning: "Nobody knows whether the call ran. Nothing was charged. The reserved amount is free again."
  },
  replayed: {
    label: "Replayed",
    meaning: "The call got the stored answer of an earlier call with the same idempotency key. It costs nothing."
  }
}

export const costWords = {
  settled: { label: "Settled", meaning: "The charge follows from what the upstream reported." },
  estimated: {
    label: "Estimated",
    meaning: "The upstream did not report all usage, so the charge was counted from the text."
  }
} as const

/** How the charge was found. */
export const costMeaning = ({ cost_state, kept }: Pick<LoggedCall, "cost_state" | "kept">): string | undefined => {
  if (cost_state === null) return undefined
  return kept ? "You pay a share of what the cached answer cost at first." : costWords[cost_state].meaning
}

export const hasEnded = ({ state }: Pick<LoggedCall, "state">): boolean => state !== "open" && state !== "running"

export type TagKind = "good" | "warn" | "bad" | "accent" | undefined

type Ended = Pick<LoggedCall, "state" | "failed" | "error">

/** Whether there is a failure to explain. */
export const hasFailed = ({ error, failed, state }: Ended): boolean =>
  failed || error !== null || state === "refused" || state === "unknown"

export const tagKind = ({ error, failed, state }: Ended): TagKind => {
  if (!hasEnded({ state })) return "accent"
  if (state === "unknown") return "warn"
  if (hasFailed({ error, failed, state })) return "bad"
  return state === "settled" ? "good" : undefined
}
