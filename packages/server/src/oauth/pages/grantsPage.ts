import { micro } from "@tollgate/contract/Money"
import { isMachineId } from "@tollgate/gateway/driver"
import { foreignText, type Html, html } from "@tollgate/gateway/html"
import type { Grant } from "@tollgate/gateway/operator"
import { spentWords } from "./access.ts"
import { hostOf, nameOf } from "./client.ts"
import { type Form, layout, type SignedIn, tokenField } from "./layout.ts"
import { canSpend, scopeWords } from "./scopes.ts"
import { enteredOf, keepsEnd, type ReadTerms } from "./terms.ts"
import { termsFields, type TermsView } from "./termsFields.ts"
import { dateOf, timeOf, usd } from "./words.ts"

export interface GrantsView {
  readonly name: string
  readonly signedIn: SignedIn
  readonly grants: ReadonlyArray<Grant>
  /** What was just done. */
  readonly done: "Access was revoked." | "The change holds from now on." | undefined
  /** How many calls wait for approval. */
  readonly waiting: number
  readonly approvalsPage: string
  /** Revokes a grant. */
  readonly form: Form
  /** Changes the terms of one. */
  readonly change: Form
  readonly chooses: Pick<TermsView, "policy" | "offer" | "account">
  /** A change that was not possible, as it was entered. */
  readonly tried?: { readonly grant: string; readonly read: ReadTerms } | undefined
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

const allowedWords = (allowed: Grant["allowed"]): string =>
  allowed === null ? "everything" : [...allowed.categories, ...allowed.operations].join(", ")

const limits = ({ allowed, askAbove, dayLimit, spentToday }: Grant): Html =>
  html`<dt>Spent today</dt>
    <dd>${usd(spentToday)}${dayLimit === null ? "" : ` of ${usd(dayLimit)}`}</dd>
    <dt>It may call</dt>
    <dd>${allowedWords(allowed)}</dd>
    ${
      askAbove !== null &&
      html`<dt>Needs approval</dt>
        <dd>for a call above ${usd(askAbove)}</dd>`
    }`

const changeForm = (grant: Grant, { change, chooses, tried }: GrantsView): Html => {
  const { endsAt, id } = grant
  const read = tried?.grant === id ? tried.read : undefined
  const { entered, errors } = read ?? { entered: enteredOf(grant, keepsEnd), errors: {} }
  return html`<details class="change" ${read !== undefined && html`open`}>
    <summary>Change</summary>
    <form method="post" action="${change.action}">
      ${tokenField(change)}
      <input type="hidden" name="grant" value="${id}" />
      ${termsFields({ ...chooses, entered, errors, endsAt, isMachine: isMachineId(grant.client.id), prefix: `${id}-` })}
      <div class="actions">
        <button class="main" aria-label="Save the grant of ${nameOf(grant.client)}">Save</button>
      </div>
    </form>
  </details>`
}

const grantCard = (grant: Grant, view: GrantsView): Html => {
  const { client, createdAt, endsAt, id, lastUsedAt, returnsTo, scopes } = grant
  const { form } = view
  const name = nameOf(client)
  const host = hostOf(client)
  return html`<section class="card grant" aria-labelledby="${id}">
    <header>
      <div>
        <h2 id="${id}"><bdi>${name}</bdi></h2>
        ${host === undefined ? html`<code class="small soft">${foreignText(client.id, 120)}</code>` : html`<span class="small soft">${host}</span>`}
      </div>
      <form method="post" action="${form.action}">
        ${tokenField(form)}
        <input type="hidden" name="grant" value="${id}" />
        <button class="bad" aria-label="Revoke the grant of ${name}">Revoke</button>
      </form>
    </header>
    <dl class="facts">
      <dt>It may</dt>
      <dd>${scopes.map((scope, i) => html`${i > 0 && html`<br />`}${scopeWords(scope).title}`)}</dd>
      <dt>Spent</dt>
      <dd>${spent(grant)}</dd>
      ${canSpend(scopes) && limits(grant)}
      ${
        returnsTo !== undefined &&
        html`<dt>Returns to</dt>
          <dd>${foreignText(returnsTo, 120)}</dd>`
      }
      <dt>Since</dt>
      <dd>${timeOf(createdAt)}</dd>
      ${
        lastUsedAt !== undefined &&
        html`<dt>Last billed call</dt>
          <dd>${dateOf(lastUsedAt)}</dd>`
      }
      <dt>Ends</dt>
      <dd>${dateOf(endsAt)}</dd>
    </dl>
    ${canSpend(scopes) && changeForm(grant, view)}
  </section>`
}

const endedItem = ({ client, createdAt, endsAt, spent }: Grant): Html =>
  html`<li>
    <bdi>${nameOf(client)}</bdi>
    <p class="small soft">${dateOf(createdAt)} to ${dateOf(endsAt)}, spent ${usd(spent)}</p>
  </li>`

/** Those of one app stand together. */
const byApp = (grants: ReadonlyArray<Grant>): ReadonlyArray<Grant> =>
  [...Map.groupBy(grants, ({ client }) => client.id).values()].flat()

const sumOf = (grants: ReadonlyArray<Grant>, part: "spent" | "spentToday"): string =>
  usd(micro(grants.reduce((sum, grant) => sum + grant[part], 0n)))

export const grantsPage = (view: GrantsView): Html => {
  const { approvalsPage, done, grants, name, signedIn, tried, waiting } = view
  const active = byApp(grants.filter(({ ended }) => !ended))
  const ended = grants.filter(({ ended }) => ended).slice(0, mostEnded)
  return layout(
    { name, title: `${tried === undefined ? "" : "Error: "}Grants`, signedIn, wide: true },
    html`<h1>Grants</h1>
      <p class="soft">
        Apps with access to your account <code>${signedIn.account}</code>. If you revoke a grant, access ends at once.
      </p>
      ${done !== undefined && html`<p class="notice" role="status">${done}</p>`}
      ${
        waiting > 0
          ? html`<p class="notice warn">
              <a href="${approvalsPage}"
                >${waiting === 1 ? "One call waits" : `${waiting} calls wait`} for your approval</a
              >
            </p>`
          : grants.some(({ askAbove }) => askAbove !== null) &&
            html`<p><a href="${approvalsPage}">Calls that needed your approval</a></p>`
      }
      ${
        grants.some(({ scopes }) => canSpend(scopes)) &&
        html`<p>Together they spent ${sumOf(grants, "spentToday")} today and ${sumOf(grants, "spent")} in all.</p>`
      }
      ${
        active.length === 0
          ? html`<div class="card"><p>No app has access yet.</p></div>`
          : active.map((grant) => grantCard(grant, view))
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
