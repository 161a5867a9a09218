import type { Price, PriceOf } from "./Price.ts"
import type { PriceContract } from "./PriceContract.ts"
import { answerField } from "./contracts/answerField.ts"
import { bodyCode } from "./contracts/bodyCode.ts"
import { free } from "./contracts/free.ts"
import { modelTokens } from "./contracts/modelTokens.ts"
import { perRequest } from "./contracts/perRequest.ts"
import { perTask } from "./contracts/perTask.ts"
import { perToken } from "./contracts/perToken.ts"
import { reportedCost } from "./contracts/reportedCost.ts"
import { responseCount } from "./contracts/responseCount.ts"

type Contracts = { readonly [C in Price["contract"]]: PriceContract<PriceOf<C>, Price> }

/** Every price contract, by its name. */
export const contracts: Contracts = {
  free,
  per_request: perRequest,
  per_task: perTask,
  response_count: responseCount,
  per_token: perToken,
  answer_field: answerField,
  body_code: bodyCode,
  model_tokens: modelTokens,
  reported_cost: reportedCost
}

/** The contract of a price, which answers everything about it. */
export const contractOf = <C extends Price["contract"]>(price: {
  readonly contract: C
}): PriceContract<PriceOf<C>, Price> => contracts[price.contract]
