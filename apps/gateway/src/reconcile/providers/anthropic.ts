import { timeIn } from "../decimal.ts"
import { kindOf } from "../names.ts"
import { type Position, wrongAt } from "../position.ts"
import type { Get, Results, Span, Statement } from "../Statement.ts"

/** `Claude Opus 5.5 Usage - Input Tokens` names a model where the row has none. */
const modelIn = (description: string | undefined): string | undefined =>
  /^(claude .*?) usage\b/i.exec(description ?? "")?.[1]

const counts = [
  ["input", "uncached_input_tokens", "usage_input_tokens_no_cache"],
  ["output", "output_tokens", "usage_output_tokens"],
  ["cache_read", "cache_read_input_tokens", "usage_input_tokens_cache_read"],
  ["cache_write", "cache_creation.ephemeral_5m_input_tokens", "usage_input_tokens_cache_write_5m"],
  ["cache_write_long", "cache_creation.ephemeral_1h_input_tokens", "usage_input_tokens_cache_write_1h"],
  ["web_search", "server_tool_use.web_search_requests", "web_search_count"]
] as const

/** A result of `usage_report/messages` or `cost_report`, or a row of a table from the console. */
const addResult = (statement: Statement, { start }: Span, get: Get, at: Position): void => {
  const description = get("description")?.text
  const type = get("cost_type")?.text
  const model = get("model", "model_version")?.text ?? modelIn(description)
  // What has no model of its own, such as searches, is a line of its own.
  const named = model ?? (type === undefined || type === "tokens" ? undefined : kindOf(type))
  // Cents, as decimals.
  const cents = get("amount")
  if (cents !== undefined) return statement.addCost(start, named, cents, get("currency"), 100n)
  const usd = get("cost_usd")
  if (usd !== undefined) return statement.addCost(start, named, usd, get("currency"))
  const found = counts.map(([kind, ...names]) => ({ kind, cell: get(...names) }))
  if (found.every(({ cell }) => cell === undefined))
    throw wrongAt(at, "expected amount, or counts such as output_tokens")
  for (const { cell, kind } of found) statement.addCount(start, model, kind, cell)
}

const spanOf = (get: Get, at: Position, isRow: boolean): Span => {
  const start = get("starting_at", "usage_date_utc")
  if (start === undefined) throw wrongAt(at, isRow ? "usage_date_utc is missing" : "starting_at is missing")
  const end = get("ending_at")
  if (end === undefined && !isRow) throw wrongAt(at, "ending_at is missing")
  return { start: timeIn(start), end: end === undefined ? 0 : timeIn(end) }
}

export const anthropic: Results = { addResult, spanOf }
