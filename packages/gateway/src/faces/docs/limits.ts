import type { Operation } from "@tollgate/contract/Operation"
import { limitsOf, sizeOf } from "@tollgate/contract/reference/words"
import { allowances } from "@tollgate/contract/Tier"
import { type Html, html } from "../../html/html.ts"
import { topicHref } from "./addresses.ts"
import { heading } from "./frame.ts"
import type { Entry, Site } from "./Site.ts"
import { table } from "./table.ts"

const count = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ",")

const { Free, Growth } = allowances

const own = ({ limit }: Operation): string => {
  if (limit.rpm === "upstream") return "The upstream's rate"
  if (limit.rpm !== undefined) return `${limit.rpm} requests per minute`
  return limit.tasks === undefined
    ? `${count(Free.rpm)} to ${count(Growth.rpm)} requests per minute`
    : `${limit.tasks} tasks at once`
}

export const limitsShort = (operation: Operation): Html => {
  const { limit, request } = operation
  const byTier = [
    ...(limit.rpm === undefined && limit.tasks === undefined ? [] : ["requests"]),
    ...(limit.tokens ? ["tokens"] : []),
    ...(limit.concurrency ? ["calls at once"] : [])
  ]
  const body = request.body === undefined ? "" : ` Body up to ${sizeOf(operation.bodyLimit)}.`
  return html`<strong>${own(operation)}</strong
    >${byTier.length === 0 ? "By tier." : `By tier: ${byTier.join(", ")}.`}${body}`
}

/** The limits that the call meets, by tier. */
export const limitsSection = ({ prefix }: Site, { operation }: Entry): Html => {
  const { limit, request } = operation
  const group = limitsOf(limit)
  const shown = [
    { title: "Requests/min", of: "rpm" },
    ...(limit.tokens ? [{ title: "Tokens/min", of: "tpm" } as const] : []),
    ...(limit.concurrency ? [{ title: "Calls at once", of: "concurrency" } as const] : [])
  ] as const
  return html`<section>
    ${heading("limits", "Limits")}
    ${table({
      label: "Limits by tier",
      columns: [{ title: "Tier" }, ...shown.map(({ title }) => ({ title, isNumber: true }))],
      rows: Object.entries(allowances).map(([tier, allowance]) => [
        html`${tier}`,
        ...shown.map(({ of }) => html`${count(allowance[of])}`)
      ])
    })}
    <p>
      For each key. ${group !== "" && html`In addition: ${group}.`}
      ${request.body !== undefined && html`The body may have ${sizeOf(operation.bodyLimit)}.`}
      <a href="${topicHref(prefix, "rules")}#limits-by-tier">Tiers and headers</a>
    </p>
  </section>`
}
