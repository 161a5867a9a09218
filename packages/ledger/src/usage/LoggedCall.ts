import { micro, type BigMicroUsd, nano, type NanoUsd } from "@tollgate/contract/Money"
import { formatTags, type Tags } from "@tollgate/contract/Tags"
import { sentTags } from "../ledger/RecordedTags.ts"
import { amount, number, numberOrNull, type Row, text, textOrNull } from "../store/rows.ts"
import { time } from "./exportLines.ts"

/** Whether this is the evidence of a call that got a kept answer. */
export const isKept = (evidence: string | null): boolean => evidence?.startsWith('{"kind":"kept",') === true

/** One line of the usage log. */
export interface LoggedCall {
  readonly requestId: string
  readonly account: string
  /** Empty for an OAuth token. */
  readonly key: string
  readonly operation: string
  readonly state: string
  readonly costState: string | null
  /** The reserved amount: the most that the call was expected to cost. */
  readonly estimate: BigMicroUsd
  readonly value: BigMicroUsd
  readonly charged: BigMicroUsd
  /** What it cost beyond the caller's cap, which the operator bears. */
  readonly loss: BigMicroUsd
  /** What the upstream charges, if its prices are known. */
  readonly cost: NanoUsd | null
  /** What the charge is based on, as JSON. */
  readonly evidence: string | null
  readonly createdAt: number
  readonly endedAt: number | null
  readonly model: string | null
  /** The upstream that answered. */
  readonly upstream: string | null
  readonly tags: Tags
}

export const columns =
  "id, account, key, operation, state, cost_state, reserved, value, charged, loss, cost_nano, evidence, created_at," +
  " ended_at, model, upstream, tags"

export const loggedCallOf = (row: Row): LoggedCall => ({
  requestId: text(row, "id"),
  account: text(row, "account"),
  key: text(row, "key"),
  operation: text(row, "operation"),
  state: text(row, "state"),
  costState: textOrNull(row, "cost_state"),
  estimate: micro(amount(row, "reserved")),
  value: micro(amount(row, "value")),
  charged: micro(amount(row, "charged")),
  loss: micro(amount(row, "loss")),
  cost: row.cost_nano === null ? null : nano(amount(row, "cost_nano")),
  evidence: textOrNull(row, "evidence"),
  createdAt: number(row, "created_at"),
  endedAt: numberOrNull(row, "ended_at"),
  model: textOrNull(row, "model"),
  upstream: textOrNull(row, "upstream"),
  tags: row.tags === null ? {} : sentTags(text(row, "tags"))
})

/** The fields of the exported log. Amounts are micro-USD unless they say otherwise, times are UTC. */
export const fields = (call: LoggedCall) => ({
  request_id: call.requestId,
  account: call.account,
  key: call.key,
  operation: call.operation,
  state: call.state,
  cost_state: call.costState,
  estimate_micros_usd: call.estimate,
  value_micros_usd: call.value,
  charged_micros_usd: call.charged,
  loss_micros_usd: call.loss,
  evidence: call.evidence,
  created_at: time(call.createdAt),
  ended_at: time(call.endedAt),
  model: call.model,
  upstream: call.upstream,
  /** As the caller sent them: `team=search,job=nightly`. */
  tags: formatTags(call.tags) || null,
  /** Whether it got a kept answer. */
  kept: isKept(call.evidence),
  cost_nano_usd: call.cost,
  margin_nano_usd: call.cost === null ? null : call.charged * 1000n - call.cost
})

export const names = [
  "request_id",
  "account",
  "key",
  "operation",
  "state",
  "cost_state",
  "estimate_micros_usd",
  "value_micros_usd",
  "charged_micros_usd",
  "loss_micros_usd",
  "evidence",
  "created_at",
  "ended_at",
  "model",
  "upstream",
  "tags",
  "kept",
  "cost_nano_usd",
  "margin_nano_usd"
] as const satisfies ReadonlyArray<keyof ReturnType<typeof fields>>
