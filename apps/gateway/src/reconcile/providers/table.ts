import { timeIn } from "../decimal.ts"
import { kindOf } from "../names.ts"
import { type Entry, wrongAt } from "../position.ts"
import type { Get, Statement } from "../Statement.ts"

/** The columns of any table. `--columns` says what a file calls them. */
export const tableColumns = ["day", "model", "kind", "quantity", "amount", "currency"] as const

/** A row of any table: a day, a model, and a quantity of a kind, an amount of USD, or both. */
export const addRow = (statement: Statement, entry: Entry, get: Get): void => {
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
