import type { Tags } from "../Tags.ts"
import type { Amount } from "./Amount.ts"

export type LoggedState =
  | "open"
  | "running"
  | "settled"
  | "released"
  | "refused"
  | "unknown"
  | "written_off"
  | "replayed"

/** One call of the log: `GET /account/v1/calls`. It never has a body. */
export interface LoggedCall {
  /** The request id. */
  readonly id: string
  readonly key: string
  readonly key_label: string
  readonly operation: string
  readonly model: string | null
  readonly state: LoggedState
  /** Whether it counts among the failed requests. */
  readonly failed: boolean
  /** The status of the answer. `null`: there is none yet, or it is not known. */
  readonly status: number | null
  readonly cost_state: "settled" | "estimated" | null
  readonly value_micros_usd: Amount
  readonly charged_micros_usd: Amount
  readonly input_tokens: number
  readonly output_tokens: number
  /** Whether it got a kept answer, so that nothing was executed. */
  readonly kept: boolean
  /** The upstream that answered. */
  readonly upstream: string | null
  readonly created_at: string
  readonly ended_at: string | null
  /** What the caller filed the call under. */
  readonly tags: Tags
}

/** The newest first: calls that have not ended come before those that have. */
export interface LoggedCalls {
  readonly calls: ReadonlyArray<LoggedCall>
  /** The `before` of the next page. `null`: this was the last. */
  readonly next: string | null
}

/** The query of `GET /account/v1/calls`. Times are Unix milliseconds. */
export interface LoggedCallsQuery {
  /** 1 to 1000. Default: 100. */
  readonly limit?: number
  readonly before?: string
  /** Only calls that began or ended since then. A reader who polls repeats the last seconds and drops what it knows. */
  readonly since?: number
  readonly key?: string
  readonly operation?: string
  readonly model?: string
  readonly state?: LoggedState
  readonly cost_state?: "settled" | "estimated"
  /** An exact status, or a class: `4xx`. */
  readonly status?: string
  /** Calls with this tag: `team=search`, or `team` with any value. */
  readonly tag?: string
}

/** An upstream that was tried for a call, in order. */
export interface TriedUpstream {
  readonly upstream: string
  /** `answered`, or in words why it did not: `not connected`, `busy`, `rate limited`. */
  readonly outcome: string
}

/** All that the ledger knows of one call: `GET /account/v1/calls/<id>`. */
export interface CallStory extends LoggedCall {
  readonly reserved_micros_usd: Amount
  /** The most that the caller agreed to pay. */
  readonly cap_micros_usd: Amount | null
  readonly charged_nano_usd: string
  /** What the call cost beyond the cap, which the operator bears. */
  readonly loss_micros_usd: Amount
  readonly loss_nano_usd: string
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  /** What the charge is based on. */
  readonly evidence: unknown
  readonly tried: ReadonlyArray<TriedUpstream>
  /** `null`: the call had no idempotency key, or it is forgotten by now. */
  readonly idempotency: { readonly until: string; readonly answer_stored: boolean } | null
  readonly task: { readonly id: string; readonly status: string } | null
}
