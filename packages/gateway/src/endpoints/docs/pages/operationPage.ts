import type { Operation, Replay } from "@tollgate/contract/Operation"
import { allowances } from "@tollgate/contract/Tier"
import { byStatus } from "@tollgate/contract/errors/ApiError"
import { encode } from "@tollgate/contract/errors/encode"
import { statusWords } from "@tollgate/contract/reference/errorWords"
import { layout, limitsOf, pendingOf, sizeOf } from "@tollgate/contract/reference/words"
import { type Html, html } from "../../../html/html.ts"
import type { Entry, Site } from "../Site.ts"
import { rootHref, topicHref } from "../addresses.ts"
import { codeBlock, shortPrice, table } from "../elements.ts"
import { examplesSection, writtenFor } from "../examples.ts"
import { breakable, capitalize, frame, heading } from "../frame.ts"
import { below, inLead, inline } from "../markdown.ts"
import { priceSection } from "../price.ts"
import { answerSection, requestSection } from "../request.ts"

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

/** Whether to repeat a call whose outcome is not known. */
const repeats: Readonly<Record<Replay, readonly [string, string]>> = {
  free: ["Safe to retry", "It costs nothing and changes nothing."],
  billed: ["Safe to retry with the same Idempotency-Key", "Or if the error says that it did not run."],
  create: ["Retry only if the error says that it did not run", "Otherwise it may happen twice."]
}

const sentence = (text: string): string => text.replace(/\.?$/, ".")

const facts = ({ operation, price }: Entry, errors: string): Html =>
  html`<dl class="facts">
    <div>
      <dt>Price</dt>
      <dd>
        <strong>${shortPrice(price)}</strong>${price.state === "free" ? "No charge, no quote." : "A quote is free."}
      </dd>
    </div>
    <div>
      <dt>Limits</dt>
      <dd>${limitsShort(operation)}</dd>
    </div>
    <div>
      <dt>Retries</dt>
      <dd><strong>${repeats[operation.replay][0]}</strong>${repeats[operation.replay][1]}</dd>
    </div>
    <div>
      <dt>Errors</dt>
      <dd>
        <strong><a href="${errors}#${operation.family}">${operation.family}</a> shape</strong>
        ${operation.errors.toSorted((a, b) => a - b).join(", ")}
      </dd>
    </div>
  </dl>`

const pendingNotice = ({ bound, operation }: Entry): Html | false =>
  operation.pending.length > 0 &&
  html`<div class="notice warn">
    <p>Other fields of the API are passed through:</p>
    <ul>
      ${operation.pending.map((part) => html`<li>${inline(pendingOf({ ...operation, pending: [part] }, bound))}</li>`)}
    </ul>
  </div>`

const errorsSection = ({ operation: { errors, family } }: Entry, href: string): Html => {
  const sorted = errors.toSorted((a, b) => a - b)
  const code = sorted.includes(402) ? "over_cap" : "rate_limit_exceeded"
  const message = code === "over_cap" ? "The call can cost more than its cap." : "Too many requests; slow down."
  const { body, status } = encode(family, { code, message, requestId: "req_0f8b2c4d6e8f0a1b" })
  return html`<section>
    ${heading("errors", "Errors")}
    ${table({
      label: "Errors",
      columns: [{ title: "Status" }, { title: "In the client" }, { title: "When" }],
      rows: sorted.map((status) => [
        html`${status}`,
        html`<code>${byStatus[status].name}</code>`,
        html`${statusWords[status]}`
      ])
    })}
    <p>
      The body has the shape of the <code>${family}</code> family, whoever wrote the SDK that reads it.
      <a href="${href}">All codes</a> say whether the call ran.
    </p>
    ${codeBlock({ title: `${status} ${code}`, syntax: "json", code: layout(body) })}
  </section>`
}

const head = (site: Site, entry: Entry): Html => {
  const { bound, id, operation } = entry
  const { prefix } = site
  return html`<div class="head">
    <p class="crumbs"><a href="${rootHref(prefix)}">Docs</a> / ${capitalize(operation.category)}</p>
    <h1>${breakable(id)}</h1>
    <p class="lead">${inline(sentence(operation.summary))} ${inLead(operation.description)}</p>
    ${below(operation.description)}
    <p class="endpoint">
      <span class="method ${operation.method}">${operation.method}</span>
      ${
        bound === undefined
          ? html`<span class="soft">This gateway has no path for it yet.</span>`
          : html`<code>${site.baseUrl}${bound.path}</code>`
      }
      ${
        site.hasConsole &&
        bound !== undefined &&
        html`<a class="try" href="${prefix}/playground/${encodeURIComponent(id)}">Try it</a>`
      }
    </p>
    ${operation.beyond === true && html`<p class="soft">Not in the original API: SDKs call it by default.</p>`}
    ${facts(entry, topicHref(prefix, "errors"))} ${pendingNotice(entry)}
  </div>`
}

export const operationPage = (site: Site, entry: Entry): Html =>
  frame(
    site,
    { title: entry.id, description: sentence(entry.operation.summary), href: entry.href },
    html`<article class="operation">
      ${head(site, entry)} ${examplesSection(writtenFor(site, entry))}
      <div class="rest">
        ${requestSection(site, entry)} ${answerSection(site, entry)} ${priceSection(site, entry)}
        ${limitsSection(site, entry)} ${errorsSection(entry, topicHref(site.prefix, "errors"))}
      </div>
    </article>`
  )
