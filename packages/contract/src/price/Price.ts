import type { AnswerField } from "./contracts/answerField.ts"
import type { BodyCode } from "./contracts/bodyCode.ts"
import type { Free } from "./contracts/free.ts"
import type { ModelPrice } from "./contracts/modelRates.ts"
import type { ModelTokens } from "./contracts/modelRequest.ts"
import type { PerRequest } from "./contracts/perRequest.ts"
import type { PerTask } from "./contracts/perTask.ts"
import type { PerToken } from "./contracts/perToken.ts"
import type { ReportedCost } from "./contracts/reportedCost.ts"
import type { ResponseCount } from "./contracts/responseCount.ts"

export { type FieldPath, type Multiplier, one, parseMultiplier } from "./Amount.ts"
export type { ModelPrice, ModelTokens }

/** How an operation is billed. `contract` is the `price_contract` of a quote, and names the file of the contract. */
export type Price =
  | Free
  | PerRequest
  | PerToken
  | ModelTokens
  | ResponseCount
  | AnswerField
  | BodyCode
  | PerTask
  | ReportedCost

export type PriceOf<C extends Price["contract"]> = Extract<Price, { readonly contract: C }>

// A client asks no more of a price than this. The contracts answer everything else (`contracts.ts`).

export const isFree = (price: Price): boolean => price.contract === "free"

export const isByModel = (price: Price): price is ModelTokens => price.contract === "model_tokens"

/** The models that have a price of their own here. */
export const modelsOf = (price: Price | undefined): Readonly<Record<string, ModelPrice>> =>
  price !== undefined && isByModel(price) ? price.models : {}
