import { type BigMicroUsd, formatUsd, fromMicros, micro } from "@tollgate/contract/Money"
import * as Context from "effect/Context"
import type { GrantTerms } from "./Grants.ts"

/** Amounts and days of grants. `null`: without a limit. */
type GrantBounds = Pick<GrantTerms, "limit" | "dayLimit" | "askAbove"> & { readonly days: number }

/** What the operator proposes to people who give access, and the most that they may choose. */
export interface GrantPolicy {
  readonly proposed: GrantBounds
  readonly most: GrantBounds
}

export const defaultGrantPolicy: GrantPolicy = {
  proposed: { limit: micro(5_000_000n), dayLimit: micro(1_000_000n), askAbove: null, days: 30 },
  most: { limit: null, dayLimit: null, askAbove: null, days: 365 }
}

export const CurrentGrantPolicy = Context.Reference<GrantPolicy>("@tollgate/gateway/GrantPolicy", {
  defaultValue: () => defaultGrantPolicy
})

export const dayMillis = 86_400_000

const inUsd = (amount: BigMicroUsd): string => `${formatUsd(fromMicros(amount))} USD`

const isOver = (chosen: BigMicroUsd | null | undefined, most: BigMicroUsd | null): most is BigMicroUsd =>
  chosen !== undefined && most !== null && (chosen === null || chosen > most)

type Problems = Partial<Readonly<Record<keyof GrantBounds, string>>>

/**
 * What is wrong with chosen terms, by field, in words for the person who chose them. Terms that are left out are not checked.
 * `usd` writes an amount as the other words beside it do.
 */
export const termsProblems = (
  { most }: GrantPolicy,
  terms: Partial<GrantTerms>,
  now: number,
  usd = inUsd
): Problems => ({
  ...(isOver(terms.limit, most.limit) ? { limit: `This gateway allows at most ${usd(most.limit)} in total.` } : {}),
  ...(isOver(terms.dayLimit, most.dayLimit)
    ? { dayLimit: `This gateway allows at most ${usd(most.dayLimit)} a day.` }
    : {}),
  ...(isOver(terms.askAbove, most.askAbove)
    ? { askAbove: `On this gateway every call above ${usd(most.askAbove)} needs approval.` }
    : {}),
  ...(terms.endsAt !== undefined && terms.endsAt > now + most.days * dayMillis
    ? { days: `This gateway allows at most ${most.days} days.` }
    : {})
})
