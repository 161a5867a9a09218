import { financialSnapshot as operation } from "@tollgate/contract/operations/financialSnapshot"
import { type FinancialSnapshot, metrics } from "@tollgate/contract/resources/FinancialSnapshot"
import * as Effect from "effect/Effect"
import { type Handler, InvalidInput, refusedWith } from "../BilledAnswer.ts"
import * as Query from "./query.ts"
import { seededRandom } from "../SeededRandom.ts"

type Metric = (typeof metrics)[number]

/** In USD. */
const sizes: ReadonlySet<Metric> = new Set(["market_cap", "enterprise_value"])
/** A share, such as 0.12. All others are ratios and amounts of a share. */
const isShare = (name: Metric): boolean => /_(?:growth|margin|yield|payout_ratio)$|^return_on_|^payout/.test(name)

/** Each figure is invented for itself, in the range that such figures have. */
const figure = (ticker: string, name: Metric): number => {
  const from = seededRandom("figure", ticker, name)
  if (sizes.has(name)) return Math.round(10 ** from.between(8, 12))
  return Number((isShare(name) ? from.between(-0.1, 0.4) : from.between(0.2, 40)).toFixed(6))
}

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
    return yield* refusedWith(404, "not_found", "no such company")
  }
  const figures = Object.fromEntries(metrics.map((name) => [name, figure(ticker, name)]))
  const body: FinancialSnapshot = { snapshot: { ticker, ...figures } }
  return { operation: operation.id, body, billed: { requests: 1 } }
})
