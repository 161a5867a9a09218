import { financialSnapshot as operation } from "@tollgate/contract/operations/financialSnapshot"
import type { FinancialSnapshot } from "@tollgate/contract/resources/FinancialSnapshot"
import * as Effect from "effect/Effect"
import { InvalidInput, type Handler } from "../Work.ts"
import { draw } from "./Draw.ts"
import { metrics } from "./metrics.ts"
import * as Query from "./query.ts"

const tickers = /^[A-Z]{1,5}(?:[.-][A-Z]{1,2})?$/
const keys = /^\d{1,10}$/

const letters = ["A", "B", "C", "D", "E", "F", "G", "H", "K", "L", "M", "N", "P", "R", "S", "T", "V", "X"] as const

/** The registry key's company has a ticker, too. Leading zeros say nothing. */
const tickerOf = (cik: string): string => {
  const from = draw("cik", Number(cik))
  return Array.from({ length: 4 }, () => from.pick(letters)).join("")
}

/** The same company has the same figures, always. */
export const financial: Handler = Effect.fnUntraced(function* (request) {
  const query = yield* Query.of(request)
  const asked = Query.one(query, "ticker")
  const cik = Query.one(query, "cik")
  if (asked === undefined && cik === undefined) {
    return yield* new InvalidInput({ message: "ticker or cik is needed", param: "ticker" })
  }
  const ticker = asked?.toUpperCase() ?? (cik !== undefined && keys.test(cik) ? tickerOf(cik) : "")
  if (!tickers.test(ticker)) {
    return yield* new InvalidInput({ message: "no such company", status: 404, code: "not_found" })
  }
  const body: FinancialSnapshot = { snapshot: { ticker, ...metrics(ticker) } }
  return { operation: operation.id, body, billed: { requests: 1 } }
})
