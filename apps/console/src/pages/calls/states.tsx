import type { LoggedCall, LoggedState } from "@tollgate/contract/account/LoggedCall"
import { Tag } from "../../ui/kit.tsx"

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

export const isState = (text: string | undefined): text is LoggedState => text !== undefined && text in stateWords

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
  return kept ? "You pay a share of what the kept answer cost at first." : costWords[cost_state].meaning
}

export type CostState = keyof typeof costWords

export const isCostState = (text: string | undefined): text is CostState => text !== undefined && text in costWords

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

/** How a call stands: its status, and its state unless that is the usual one. */
export const StateTag = ({ call }: { readonly call: Pick<LoggedCall, "state" | "failed" | "status" | "error"> }) => {
  const { label, meaning } = stateWords[call.state]
  const text = call.status === null ? label : call.state === "settled" ? `${call.status}` : `${call.status} ${label}`
  return (
    <span title={`${label}: ${meaning}`}>
      <Tag kind={tagKind(call)}>{text}</Tag>
    </span>
  )
}
