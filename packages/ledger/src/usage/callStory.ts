import type { Amount } from "@tollgate/contract/account/Amount"
import type { CallStory, LoggedCall, LoggedState, TriedUpstream } from "@tollgate/contract/account/LoggedCall"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"
import { safeMicros } from "@tollgate/contract/Money"
import { errorIn } from "../ledger/CallError.ts"
import { gapsIn } from "../ledger/RecordedGaps.ts"
import { sentTags } from "../ledger/RecordedTags.ts"
import { isKept } from "./LoggedCall.ts"
import { amount, amountOrNull, number, numberOrNull, type Row, text, textOrNull } from "../store/rows.ts"

/** The columns that `loggedCallOf` reads. */
export const columns =
  "id, key, operation, model, state, failed, status, cost_state, value, charged, charged_nano, input_tokens," +
  " output_tokens, upstream, created_at, ended_at, tags, evidence, error"

/** The columns that only a story has. */
export const storyColumns = "reserved, cap, loss, loss_nano, cache_read_tokens, cache_write_tokens, tried, gaps"

const micros = (value: bigint): Amount => safeMicros(value) ?? String(value)

const time = (millis: number): string => new Date(millis).toISOString()

export const loggedCallOf = (row: Row, label: string): LoggedCall => {
  const costState = textOrNull(row, "cost_state")
  const endedAt = numberOrNull(row, "ended_at")
  const tags = textOrNull(row, "tags")
  const error = textOrNull(row, "error")
  return {
    id: text(row, "id"),
    key: text(row, "key"),
    key_label: label,
    operation: text(row, "operation"),
    model: textOrNull(row, "model"),
    // The ledger wrote it.
    state: text(row, "state") as LoggedState,
    failed: number(row, "failed") === 1,
    status: numberOrNull(row, "status"),
    cost_state: costState === "settled" || costState === "estimated" ? costState : null,
    value_micros_usd: micros(amount(row, "value")),
    charged_micros_usd: micros(amount(row, "charged")),
    charged_nano_usd: text(row, "charged_nano"),
    input_tokens: number(row, "input_tokens"),
    output_tokens: number(row, "output_tokens"),
    kept: isKept(textOrNull(row, "evidence")),
    upstream: textOrNull(row, "upstream"),
    error: error === null ? null : errorIn(error),
    created_at: time(number(row, "created_at")),
    ended_at: endedAt === null ? null : time(endedAt),
    tags: tags === null ? {} : sentTags(tags)
  }
}

const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json))

/** Nothing is stored where the first upstream answered. */
const triedOf = (row: Row): ReadonlyArray<TriedUpstream> => {
  const upstream = textOrNull(row, "upstream")
  const tried = parsed(textOrNull(row, "tried")) as ReadonlyArray<TriedUpstream> | null
  return tried ?? (upstream === null ? [] : [{ upstream, outcome: "answered" }])
}

/** The columns that only an operator's story has. */
export const operatorColumns = "cost_nano"

/** With what only operators see. */
export const operatorStoryOf = (row: Row): OperatorCallStory => {
  const cost = amountOrNull(row, "cost_nano")
  return {
    ...storyOf(row),
    cost_nano_usd: cost === null ? null : String(cost),
    margin_nano_usd: cost === null ? null : String(amount(row, "charged") * 1000n - cost)
  }
}

/** The row has the label, the idempotency claim and the task too. */
export const storyOf = (row: Row): CallStory => {
  const cap = amountOrNull(row, "cap")
  const until = numberOrNull(row, "claim_ends_at")
  const task = textOrNull(row, "task_id")
  return {
    ...loggedCallOf(row, textOrNull(row, "label") ?? ""),
    reserved_micros_usd: micros(amount(row, "reserved")),
    cap_micros_usd: cap === null ? null : micros(cap),
    loss_micros_usd: micros(amount(row, "loss")),
    loss_nano_usd: text(row, "loss_nano"),
    cache_read_tokens: number(row, "cache_read_tokens"),
    cache_write_tokens: number(row, "cache_write_tokens"),
    evidence: parsed(textOrNull(row, "evidence")),
    gaps: gapsIn(textOrNull(row, "gaps")),
    tried: triedOf(row),
    idempotency: until === null ? null : { until: time(until), answer_stored: number(row, "answer_stored") === 1 },
    task: task === null ? null : { id: task, status: text(row, "task_status") }
  }
}
