import { formatUsd } from "../Money.ts"
import type { Amount, Price } from "./Price.ts"

const usd = (amount: Amount): string => (amount === "pending" ? "an amount not set" : `${formatUsd(amount)} USD`)

/** In words, what a price is reckoned from. */
export const basis = (price: Price): string => {
  switch (price.contract) {
    case "free":
      return "free"
    case "per_request":
      return `${usd(price.amount)} per call`
    case "per_token":
      return `${usd(price.perMillion)} per million tokens; estimated at 4 bytes of text per token, at most 1`
    case "model_tokens":
      return "the model's price per million tokens; estimated at 4 bytes of text per token, at most 1, and the output limit"
    case "response_count":
      return `${usd(price.perItem)} per item in ${price.items}; estimated for 1, at most ${price.most}`
    case "body_code":
      return `${usd(price.amount)} per answer whose ${price.field} is ${price.equals}`
    case "per_task":
      return `${usd(price.amount)} per task that succeeds`
  }
}
