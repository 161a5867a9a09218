import { financialSnapshot as operation } from "@tollgate/contract/operations/financialSnapshot"
import type { FinancialSnapshot, metrics as names } from "@tollgate/contract/resources/FinancialSnapshot"
import * as Effect from "effect/Effect"
import { type Handler, InvalidInput } from "../BilledAnswer.ts"
import * as Query from "./query.ts"
import { seededRandom } from "./SeededRandom.ts"

type Metrics = Readonly<Record<(typeof names)[number], number>>

const tax = 0.21

/** Yearly figures of an invented company. All ratios are calculated from them, so that they are consistent. */
const company = (ticker: string) => {
  const from = seededRandom("company", ticker)
  const revenue = 10 ** from.between(8, 11.5)
  const gross = from.between(0.2, 0.8)
  const operating = gross - from.between(0.08, gross + 0.05)
  const earned = operating - from.between(0.01, 0.1)
  // Keeps the price-earnings ratio finite.
  const net = Math.abs(earned) < 0.005 ? -0.005 : earned
  const assets = revenue / from.between(0.4, 1.6)
  const currentAssets = assets * from.between(0.25, 0.5)
  const currentLiabilities = currentAssets / from.between(1.1, 3)
  const debt = assets * from.between(0.05, 0.3)
  const netIncome = revenue * net
  const depreciation = revenue * from.between(0.06, 0.1)
  const operatingCash = netIncome + depreciation
  return {
    revenue,
    gross,
    operating,
    net,
    netIncome,
    assets,
    currentAssets,
    currentLiabilities,
    debt,
    operatingCash,
    operatingIncome: revenue * operating,
    ebitda: revenue * operating + depreciation,
    freeCash: operatingCash - revenue * from.between(0.02, 0.08),
    equity: assets - currentLiabilities - debt,
    inventory: currentAssets * from.between(0.05, 0.35),
    receivables: currentAssets * from.between(0.1, 0.25),
    cash: currentAssets * from.between(0.2, 0.4),
    interest: debt * from.between(0.03, 0.07),
    shares: revenue / from.between(5, 200),
    marketCap: revenue * from.between(0.8, 9)
  }
}

const rounded = (metrics: Metrics): Metrics => ({
  ...metrics,
  ...Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, Number(value.toFixed(6))]))
})

const metrics = (ticker: string): Metrics => {
  const it = company(ticker)
  const growth = seededRandom("growth", ticker)
  const grows = () => growth.between(0.01, 0.3) * (growth.chance(0.3) ? -1 : 1)
  const enterprise = it.marketCap + it.debt - it.cash
  const inventoryTurnover = (it.revenue * (1 - it.gross)) / it.inventory
  const receivablesTurnover = it.revenue / it.receivables
  const salesOutstanding = 365 / receivablesTurnover
  const priceToEarnings = it.marketCap / it.netIncome
  const perShareGrowth = grows()
  return rounded({
    market_cap: Math.round(it.marketCap),
    enterprise_value: Math.round(enterprise),
    price_to_earnings_ratio: priceToEarnings,
    price_to_book_ratio: it.marketCap / it.equity,
    price_to_sales_ratio: it.marketCap / it.revenue,
    enterprise_value_to_ebitda_ratio: enterprise / it.ebitda,
    enterprise_value_to_revenue_ratio: enterprise / it.revenue,
    free_cash_flow_yield: it.freeCash / it.marketCap,
    peg_ratio: priceToEarnings / (perShareGrowth * 100),
    gross_margin: it.gross,
    operating_margin: it.operating,
    net_margin: it.net,
    return_on_equity: it.netIncome / it.equity,
    return_on_assets: it.netIncome / it.assets,
    return_on_invested_capital: (it.operatingIncome * (1 - tax)) / (it.debt + it.equity),
    asset_turnover: it.revenue / it.assets,
    inventory_turnover: inventoryTurnover,
    receivables_turnover: receivablesTurnover,
    days_sales_outstanding: salesOutstanding,
    operating_cycle: salesOutstanding + 365 / inventoryTurnover,
    working_capital_turnover: it.revenue / (it.currentAssets - it.currentLiabilities),
    current_ratio: it.currentAssets / it.currentLiabilities,
    quick_ratio: (it.currentAssets - it.inventory) / it.currentLiabilities,
    cash_ratio: it.cash / it.currentLiabilities,
    operating_cash_flow_ratio: it.operatingCash / it.currentLiabilities,
    debt_to_equity: it.debt / it.equity,
    debt_to_assets: it.debt / it.assets,
    interest_coverage: it.operatingIncome / it.interest,
    revenue_growth: grows(),
    earnings_growth: perShareGrowth + 0.005,
    book_value_growth: grows(),
    earnings_per_share_growth: perShareGrowth,
    free_cash_flow_growth: grows(),
    operating_income_growth: grows(),
    ebitda_growth: grows(),
    payout_ratio: it.net > 0 ? growth.between(0, 0.7) : 0,
    earnings_per_share: it.netIncome / it.shares,
    book_value_per_share: it.equity / it.shares,
    free_cash_flow_per_share: it.freeCash / it.shares
  })
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
    return yield* new InvalidInput({ message: "no such company", status: 404, code: "not_found" })
  }
  const body: FinancialSnapshot = { snapshot: { ticker, ...metrics(ticker) } }
  return { operation: operation.id, body, billed: { requests: 1 } }
})
