import { financialSnapshot as operation } from "@tollgate/contract/operations/financialSnapshot"
import type { FinancialSnapshot } from "@tollgate/contract/resources/FinancialSnapshot"
import * as Effect from "effect/Effect"
import { InvalidInput, type Handler } from "../BilledAnswer.ts"
import { seededRandom } from "./SeededRandom.ts"
import { metrics } from "./metrics.ts"
import * as Query from "./query.ts"

const tickers = /^[A-Z]{1,5}(?:[.-][A-Z]{1,2})?$/
const keys = /^\d{1,10}$/

const letters = ["A", "B", "C", "D", "E", "F", "G", "H", "K", "L", "M", "N", "P", "R", "S", "T", "V", "X"] as const

/** Invents a ticker for a CIK. Leading zeros make no difference. */
const tickerOf = (cik: string): string => {
  const from = seededRandom("cik", Number(cik))
  return Array.from({ length: 4 }, () => from.pick(letters)).join("")
}

/** The same company always has the same figures. */
export const financial: Handler = Effect.fnUntraced(function* (request) {
  const query = yield* Query.of(request)
  const symbol = Query.optional(query, "ticker")
  const cik = Query.optional(query, "cik")
  if (symbol === undefined && cik === undefined) {
    return yield* new InvalidInput({ message: "ticker or cik is required", param: "ticker" })
  }
  const ticker = symbol?.toUpperCase() ?? (cik !== undefined && keys.test(cik) ? tickerOf(cik) : "")
  if (!tickers.test(ticker)) {
    return yield* new InvalidInput({ message: "no such company", status: 404, code: "not_found" })
  }
  const body: FinancialSnapshot = { snapshot: { ticker, ...metrics(ticker) } }
  return { operation: operation.id, body, billed: { requests: 1 } }
})
