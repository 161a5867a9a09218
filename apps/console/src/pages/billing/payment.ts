import type { Payments } from "@tollgate/contract/account/Payment"
import { usd } from "../../ui/amounts.ts"

/** Of each state of a payment its name, its color, and what whoever paid is told. */
export const states = {
  open: ["Open", "accent", (amount: string) => `${amount} are not paid yet, or the provider has not said so yet.`],
  paid: ["Paid", "good", (amount: string) => `Thank you, ${amount} were added.`],
  failed: ["Failed", "bad", (amount: string) => `The payment of ${amount} failed, and nothing was added.`],
  unknown: ["Not known yet", "warn", (amount: string) => `The provider did not say yet whether ${amount} were paid.`]
} as const

/** What is wrong with an amount to pay. */
export const amountProblem = (
  amount: unknown,
  { least_micros_usd: least, most_micros_usd: most }: Pick<Payments, "least_micros_usd" | "most_micros_usd">
): string | undefined => {
  if (typeof amount !== "number") return undefined
  if (amount < Number(least) || amount > Number(most)) return `Enter an amount from ${usd(least)} to ${usd(most)}.`
  return amount % 10_000 === 0 ? undefined : "Enter whole cents."
}
