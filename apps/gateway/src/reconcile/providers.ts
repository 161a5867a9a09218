import { countIn, timeIn, kindOf, tokenKinds, numberIn } from "./cells.ts"
import { type Entry, wrongAt } from "./exportFile.ts"
import type { Get, Results, Span, Statement } from "./Statement.ts"

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
const addOpenAiResult = (statement: Statement, { start }: Span, get: Get, at: string): void => {
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

/** The time of a bucket, by the names of its start and its end. */
const spanBy =
  (starts: ReadonlyArray<string>, ends: ReadonlyArray<string>): Results["spanOf"] =>
  (get, at, isRow) => {
    const [start, end] = [get(...starts), get(...ends)]
    if (start === undefined) throw wrongAt(at, `${starts.join(" or ")} is missing`)
    if (end === undefined && !isRow) throw wrongAt(at, `${ends.join(" or ")} is missing`)
    return { start: timeIn(start), end: end === undefined ? 0 : timeIn(end) }
  }

export const openai: Results = {
  addResult: addOpenAiResult,
  spanOf: spanBy(["start_time", "start_time_iso"], ["end_time", "end_time_iso"])
}

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
const addAnthropicResult = (statement: Statement, { start }: Span, get: Get, at: string): void => {
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

export const anthropic: Results = {
  addResult: addAnthropicResult,
  spanOf: spanBy(["starting_at", "usage_date_utc"], ["ending_at"])
}

/** The words of a SKU that are no part of a model's name. */
const words =
  /\b(?:input|output|text|audio|image|video|cached|caching|cache|thinking|tokens?|predictions?|prompt|generate|content|count|short|long|batch|flex|priority|global|regional|ga|for|on|the|api)\b/g

/**
 * The name of a SKU as that of a model. Models are found in it by the names of ours; otherwise what is left without words
 * such as `input` is the name.
 */
export const modelInSku = (sku: string, ours: Iterable<string>): string => {
  const text = `-${sku.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}-`
  let best = ""
  for (const key of ours) if (key.length > best.length && text.includes(`-${key}-`)) best = key
  if (best !== "") return best
  return sku
    .toLowerCase()
    .replaceAll(words, " ")
    .replaceAll(/[^a-z0-9.]+/g, "-")
    .replaceAll(/^-|-$/g, "")
}

/** A row of the Cloud Billing export. */
export const addBillingRow = (statement: Statement, entry: Entry, get: Get): void => {
  const time = get("usage_start_time")
  const amount = get("cost")
  if (time === undefined) throw wrongAt(entry.at, "usage_start_time is missing")
  if (amount === undefined) throw wrongAt(entry.at, "cost is missing")
  const start = timeIn(time)
  statement.coverDay(start)
  const type = get("cost_type")?.text
  const sku = get("sku.description", "sku")?.text
  if (type === undefined || type === "regular") statement.addCost(start, sku, amount, get("currency"))
  else statement.addBesides(type, numberIn(amount))
  for (const [name, cell] of entry.cells) {
    if (/^credits(?:\.\d+\.amount|[._]amount)?$/.test(name)) statement.addBesides("credits", numberIn(cell))
  }
}

/** The columns of any table. `--columns` says what a file calls them. */
export const tableColumns = ["day", "model", "kind", "quantity", "amount", "currency"] as const

/** A row of any table: a day, a model, and a quantity of a kind, an amount of USD, or both. */
export const addTableRow = (statement: Statement, entry: Entry, get: Get): void => {
  const [day, quantity, amount] = [get("day"), get("quantity"), get("amount")]
  if (day === undefined) throw wrongAt(entry.at, "the row has no day")
  if (quantity === undefined && amount === undefined) throw wrongAt(entry.at, "the row has no quantity and no amount")
  const start = timeIn(day)
  const model = get("model")?.text
  statement.coverDay(start)
  if (quantity !== undefined) {
    const kind = get("kind")
    // A row of money may have a quantity of something that is not told.
    if (kind !== undefined) statement.addCount(start, model, kindOf(kind.text), quantity)
    else if (amount === undefined) throw wrongAt(quantity.at, "the row has a quantity, but no kind")
  }
  if (amount !== undefined) statement.addCost(start, model, amount, get("currency"))
}
