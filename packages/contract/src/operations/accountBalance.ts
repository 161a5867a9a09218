import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { AvailableSpending } from "../resources/AvailableSpending.ts"

export const summary = "Get the balance: what is left to spend, of the budget and of the limits"
export const description =
  "How much money or credit the credential still has: the account's balance, or what remains of its own budget and daily quota, and how many requests and tokens it may still send in this minute."

export const accountBalance = Operation.make({
  ...kinds.ownRead,
  id: "account.balance",
  category: "account",
  path: "/v1/balance",
  request: {},
  success: AvailableSpending,
  family: "usage",
  beyond: true
})
