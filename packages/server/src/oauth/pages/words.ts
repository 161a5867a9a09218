import { type BigMicroUsd, formatUsd, fromMicros, micro, parseUsd } from "@tollgate/contract/Money"
import { type Html, html } from "@tollgate/gateway/html"
import type { Grant } from "@tollgate/gateway/operator"
import * as Option from "effect/Option"
import { canSpend } from "./client.ts"

/** As it stands in a field, with two decimals at least. */
export const decimalUsd = (amount: BigMicroUsd): string => {
  const [whole = "0", fraction = ""] = formatUsd(fromMicros(amount)).split(".")
  return `${whole}.${fraction.padEnd(2, "0")}`
}

/** As in the console: `$0.50`. */
export const usd = (amount: BigMicroUsd): string => `$${decimalUsd(amount)}`.replace("$-", "−$")

/** A balance, with two decimals. It never shows more than there is. */
export const leftUsd = (amount: BigMicroUsd): string => {
  const cents = amount / 10_000n - (amount < 0n && amount % 10_000n !== 0n ? 1n : 0n)
  return usd(micro(cents * 10_000n))
}

/** A billion USD: more is a mistake. */
const most = 1_000_000_000_000_000n

export const parseLimit = (text: string): Option.Option<BigMicroUsd> =>
  parseUsd(text).pipe(
    Option.filter((nano) => nano > 0n && nano % 1000n === 0n && nano / 1000n <= most),
    Option.map((nano) => micro(nano / 1000n))
  )

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" })
const minute = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })

export const dayText = (millis: number): string => day.format(millis)

/** In UTC: the zone of the reader is not known without a script. */
export const timeOf = (millis: number): Html =>
  html`<time datetime="${new Date(millis).toISOString()}">${minute.format(millis)} UTC</time>`

/** What a grant has spent, of what it may. */
export const spentWords = ({ limit, scopes, spent }: Pick<Grant, "scopes" | "limit" | "spent">): string => {
  if (!canSpend(scopes)) return "cannot spend"
  return limit === null ? `${usd(spent)}, no limit` : `${usd(spent)} of ${usd(limit)}`
}
