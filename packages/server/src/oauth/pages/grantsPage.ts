import { foreignText, type Html, html } from "@tollgate/gateway/html"
import type { Grant } from "@tollgate/gateway/operator"
import { spentWords } from "./access.ts"
import { hostOf, nameOf } from "./client.ts"
import { type Form, layout, type SignedIn, tokenField } from "./layout.ts"
import { canSpend, scopeWords } from "./scopes.ts"
import { dateOf, timeOf, usd } from "./words.ts"

export interface GrantsView {
  readonly name: string
  readonly signedIn: SignedIn
  readonly grants: ReadonlyArray<Grant>
  /** Whether one was just taken back. */
  readonly takenBack: boolean
  readonly form: Form
}

/** Those that ended earlier are not listed. */
const mostEnded = 20

const spent = (grant: Grant): Html => {
  const { limit, scopes, spent } = grant
  if (limit === null || !canSpend(scopes)) return html`${spentWords(grant)}`
  return html`${spentWords(grant)}
    <meter
      min="0"
      max="${String(limit)}"
      value="${String(spent)}"
      aria-label="Part of the limit that is spent"
    ></meter>`
}

const grantCard = (grant: Grant, form: Form): Html => {
  const { client, createdAt, endsAt, id, lastUsedAt, scopes } = grant
  const name = nameOf(client)
  return html`<section class="card grant" aria-labelledby="${id}">
    <header>
      <div>
        <h2 id="${id}"><bdi>${name}</bdi></h2>
        <span class="small soft">${hostOf(client) ?? foreignText(client.id, 120)}</span>
      </div>
      <form method="post" action="${form.action}">
        ${tokenField(form)}
        <input type="hidden" name="grant" value="${id}" />
        <button class="bad" aria-label="Take back the access of ${name}">Take back</button>
      </form>
    </header>
    <dl class="facts">
      <dt>It may</dt>
      <dd>${scopes.map((scope, i) => html`${i > 0 && html`<br />`}${scopeWords(scope).title}`)}</dd>
      <dt>Spent</dt>
      <dd>${spent(grant)}</dd>
      <dt>Given</dt>
      <dd>${timeOf(createdAt)}</dd>
      ${
        lastUsedAt !== undefined &&
        html`<dt>Last used</dt>
          <dd>${dateOf(lastUsedAt)}</dd>`
      }
      <dt>Ends</dt>
      <dd>${dateOf(endsAt)}</dd>
    </dl>
  </section>`
}

const endedItem = ({ client, createdAt, endsAt, spent }: Grant): Html =>
  html`<li>
    <bdi>${nameOf(client)}</bdi>
    <p class="small soft">${dateOf(createdAt)} to ${dateOf(endsAt)}, spent ${usd(spent)}</p>
  </li>`

/** Those of one application stand together. */
const byApplication = (grants: ReadonlyArray<Grant>): ReadonlyArray<Grant> =>
  [...Map.groupBy(grants, ({ client }) => client.id).values()].flat()

export const grantsPage = ({ form, grants, name, signedIn, takenBack }: GrantsView): Html => {
  const active = byApplication(grants.filter(({ ended }) => !ended))
  const ended = grants.filter(({ ended }) => ended).slice(0, mostEnded)
  return layout(
    { name, title: "Access to your account", signedIn, wide: true },
    html`<h1>Access to your account</h1>
      <p class="soft">Applications that may use <code>${signedIn.account}</code>. What you take back ends at once.</p>
      ${takenBack && html`<p class="notice" role="status">Access was taken back.</p>`}
      ${
        active.length === 0
          ? html`<div class="card"><p>No application has access.</p></div>`
          : active.map((grant) => grantCard(grant, form))
      }
      ${
        ended.length > 0 &&
        html`<details>
          <summary>Ended (${ended.length})</summary>
          <ul class="ended">
            ${ended.map(endedItem)}
          </ul>
        </details>`
      }`
  )
}
