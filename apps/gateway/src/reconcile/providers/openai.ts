import { countIn, timeIn } from "../decimal.ts"
import { kindOf, tokenKinds } from "../names.ts"
import { type Position, wrongAt } from "../position.ts"
import type { Get, Results, Span, Statement } from "../Statement.ts"

/** The parts of a line item: `gpt-6-astra, input_tokens`. */
const lineItem = (text: string): { readonly model: string; readonly kind: string } => {
  const comma = text.lastIndexOf(",")
  return comma < 0
    ? { model: text, kind: "" }
    : { model: text.slice(0, comma).trim(), kind: kindOf(text.slice(comma + 1)) }
}

const addCosts = (statement: Statement, start: number, get: Get): void => {
  const item = get("line_item")
  const { kind, model } = item === undefined ? { kind: "", model: undefined } : lineItem(item.text)
  const amount = get("amount.value")
  if (amount !== undefined) statement.addCost(start, model, amount, get("amount.currency"))
  const unit = get("quantity_unit")?.text
  if (unit === "tokens" && tokenKinds.has(kind)) statement.addCount(start, model, kind, get("quantity"))
}

const addCompletions = (statement: Statement, start: number, model: string | undefined, get: Get): void => {
  const count = (kind: string, name: string) => statement.addCount(start, model, kind, get(name))
  const total = get("input_tokens")
  const uncached = get("input_uncached_tokens")
  if (uncached !== undefined) count("input", "input_uncached_tokens")
  // Older exports have only the sum.
  else if (total !== undefined) {
    const parts = [get("input_cached_tokens"), get("input_cache_write_tokens")]
    const rest = parts.reduce((left, cell) => (cell === undefined ? left : left - countIn(cell)), countIn(total))
    if (rest < 0n) throw wrongAt(total.at, "input_tokens is less than what it includes")
    statement.add(start, model, "input", rest)
  }
  count("output", "output_tokens")
  count("cache_read", "input_cached_tokens")
  count("cache_write", "input_cache_write_tokens")
  statement.addDetail(start, model, "cache_write_long", get("input_cache_write_12h_tokens"))
  statement.addDetail(start, model, "audio_input", get("input_audio_tokens"))
  statement.addDetail(start, model, "audio_output", get("output_audio_tokens"))
  statement.addDetail(start, model, "audio_cache_read", get("input_cached_audio_tokens"))
  statement.addDetail(start, model, "image_input", get("input_image_tokens"))
  statement.addDetail(start, model, "image_output", get("output_image_tokens"))
  statement.addDetail(start, model, "image_cache_read", get("input_cached_image_tokens"))
  count("requests", "num_model_requests")
}

/** A result of `organization/costs` or `organization/usage/…`, or a row of a table with the same names. */
const addResult = (statement: Statement, { start }: Span, get: Get, at: Position): void => {
  const model = get("model")?.text
  const type = get("object")?.text
  const is = (name: string) => type === `organization.${name}.result`
  if (type !== undefined)
    statement.results.add(type.replace(/^organization\.(?:usage\.)?/, "").replace(/\.result$/, ""))
  if (is("costs") || (type === undefined && get("amount.value") !== undefined)) return addCosts(statement, start, get)
  if (is("usage.completions") || (type === undefined && get("output_tokens") !== undefined)) {
    return addCompletions(statement, start, model, get)
  }
  if (is("usage.embeddings") || is("usage.moderations")) {
    statement.addCount(start, model, "input", get("input_tokens"))
    return statement.addCount(start, model, "requests", get("num_model_requests"))
  }
  if (is("usage.web_searches")) return statement.addCount(start, model, "web_search", get("num_requests"))
  if (is("usage.file_searches")) return statement.addCount(start, model, "file_search", get("num_requests"))
  throw wrongAt(at, `${type ?? "this row"} cannot be compared: use costs, usage/completions or usage/embeddings`)
}

const spanOf = (get: Get, at: Position, isRow: boolean): Span => {
  const start = get("start_time", "start_time_iso")
  if (start === undefined) throw wrongAt(at, "start_time is missing")
  const end = get("end_time", "end_time_iso")
  if (end === undefined && !isRow) throw wrongAt(at, "end_time is missing")
  return { start: timeIn(start), end: end === undefined ? 0 : timeIn(end) }
}

export const openai: Results = { addResult, spanOf }
