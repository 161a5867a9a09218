import { Grants } from "@tollgate/gateway"
import type { Grant } from "@tollgate/gateway/operator"
import * as Effect from "effect/Effect"
import type { Client } from "./client.ts"
import { type Html, html } from "@tollgate/gateway/html"
import { canSpend } from "./scopes.ts"
import { usd } from "./words.ts"

type Spending = Pick<Grant, "scopes" | "limit" | "spent">

/** What a grant has spent, of what it may. */
export const spentWords = ({ limit, scopes, spent }: Spending): string => {
  if (!canSpend(scopes)) return "cannot spend"
  return limit === null ? `${usd(spent)}, no limit` : `${usd(spent)} of ${usd(limit)}`
}

/** What this client has of the account. */
export const accessOf = (account: string, client: Pick<Client, "id">) =>
  Grants.use((grants) =>
    Effect.map(grants.list(account), (all) => all.find((grant) => !grant.ended && grant.client.id === client.id))
  )

/** Says what the client has already, and what an approval does to it. */
export const accessNotice = (name: string, access: Spending | undefined): Html | false => {
  if (access === undefined) return false
  const spent = canSpend(access.scopes)
    ? `${spentWords(access)}${access.limit === null ? "" : " spent"}`
    : "cannot spend"
  return html`<p class="notice">
    <bdi>${name}</bdi> already has access (${spent}). If you approve, it goes on under what you choose here, on all
    devices that use it.
  </p>`
}
