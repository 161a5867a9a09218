import * as Schema from "effect/Schema"
import { maybeAll, Open } from "../Open.ts"

export const metrics = [
  "market_cap",
  "enterprise_value",
  "price_to_earnings_ratio",
  "price_to_book_ratio",
  "price_to_sales_ratio",
  "enterprise_value_to_ebitda_ratio",
  "enterprise_value_to_revenue_ratio",
  "free_cash_flow_yield",
  "peg_ratio",
  "gross_margin",
  "operating_margin",
  "net_margin",
  "return_on_equity",
  "return_on_assets",
  "return_on_invested_capital",
  "asset_turnover",
  "inventory_turnover",
  "receivables_turnover",
  "days_sales_outstanding",
  "operating_cycle",
  "working_capital_turnover",
  "current_ratio",
  "quick_ratio",
  "cash_ratio",
  "operating_cash_flow_ratio",
  "debt_to_equity",
  "debt_to_assets",
  "interest_coverage",
  "revenue_growth",
  "earnings_growth",
  "book_value_growth",
  "earnings_per_share_growth",
  "free_cash_flow_growth",
  "operating_income_growth",
  "ebitda_growth",
  "payout_ratio",
  "earnings_per_share",
  "book_value_per_share",
  "free_cash_flow_per_share"
] as const

export const FinancialSnapshot = Open({
  snapshot: Open({ ticker: Schema.String, ...maybeAll(metrics, Schema.Finite) })
}).annotate({ identifier: "FinancialSnapshot" })
export interface FinancialSnapshot extends Schema.Schema.Type<typeof FinancialSnapshot> {}
