import type { Amount } from "../account/Amount.ts"

/** One price in force: `GET /admin/v1/prices`. */
export interface PriceLine {
  readonly operation: string
  /** `null`: the price does not depend on a model. */
  readonly model: string | null
  readonly contract: string
  /** `0.05 USD per 1,000,000 tokens`. */
  readonly words: string
  /**
   * The same price as the section `prices` of the configuration file has it: for the operation, or for the model in `models`.
   * `null`: it has no price yet, or the section does not hold it.
   */
  readonly config: unknown
}

export interface PriceList {
  readonly prices: ReadonlyArray<PriceLine>
}

/** What other prices would have changed, for the calls of one operation and model. */
export interface PricePreviewLine {
  readonly operation: string
  readonly model: string | null
  readonly calls: number
  /** Calls whose new price cannot be computed from what is recorded. The amounts below are without them. */
  readonly not_computable: number
  readonly value_before_micros_usd: Amount
  readonly value_after_micros_usd: Amount
  readonly charged_before_micros_usd: Amount
  readonly charged_after_micros_usd: Amount
}

/** The body of `POST /admin/v1/prices/preview`. Times are Unix seconds; at most 7 days. Default: the last 24 hours. */
export interface PricePreviewRequest {
  /** The section `prices` of the configuration file. */
  readonly prices: unknown
  readonly start_time?: number
  readonly end_time?: number
}

/** What these prices would have made of the calls that ended in the window. */
export interface PricePreview {
  readonly start_time: number
  readonly end_time: number
  /** `false`: there were more calls than one preview reads, and the rest is left out. */
  readonly complete: boolean
  readonly lines: ReadonlyArray<PricePreviewLine>
  readonly totals: Omit<PricePreviewLine, "operation" | "model">
}
