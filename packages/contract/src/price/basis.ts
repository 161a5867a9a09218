import { formatUsd } from "../Money.ts"
import type { Amount, Price } from "./Price.ts"

const usd = (amount: Amount): string => (amount === "pending" ? "an operator-set amount" : `${formatUsd(amount)} USD`)

/** Describes in words how a price is calculated. */
export const basis = (price: Price): string => {
  switch (price.contract) {
    case "free":
      return "free"
    case "per_request":
      return `${usd(price.amount)} per call`
    case "per_token":
      return `${usd(price.perMillion)} per million tokens; the estimate assumes 4 bytes of text per token, the maximum 1`
    case "model_tokens":
      return "the model's price per million tokens; the estimate assumes 4 bytes of text per token, the maximum 1; both assume output up to its limit"
    case "response_count":
      return `${usd(price.perItem)} per item in ${price.items}; the estimate assumes 1 item, the maximum ${price.most}`
    case "body_code":
      return `${usd(price.amount)} per answer whose ${price.field} is ${price.equals}`
    case "per_task":
      return `${usd(price.amount)} per task that succeeds`
  }
}
