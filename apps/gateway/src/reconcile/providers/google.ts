import { numberIn, timeIn } from "../decimal.ts"
import { type Entry, wrongAt } from "../position.ts"
import type { Get, Statement } from "../Statement.ts"

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
export const addRow = (statement: Statement, entry: Entry, get: Get): void => {
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
