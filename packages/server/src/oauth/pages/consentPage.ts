import type { BigMicroUsd } from "@tollgate/contract/Money"
import { foreignText, type Html, html } from "@tollgate/gateway/html"
import type { Grant } from "@tollgate/gateway/operator"
import { accessNotice } from "./access.ts"
import { type Client, destinationOf, hostOf, nameOf } from "./client.ts"
import { type Form, layout, type SignedIn, tokenField } from "./layout.ts"
import { canSpend, type KnownScope, scopeWords } from "./scopes.ts"
import { timeOf, usd } from "./words.ts"

export interface ConsentView {
  readonly name: string
  readonly signedIn: SignedIn
  readonly balance: BigMicroUsd
  readonly client: Client
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<KnownScope>
  /** What the client has already, the newest first. */
  readonly access: ReadonlyArray<Grant>
  /** The spending limit as it was entered. */
  readonly limit: { readonly choice: "amount" | "none"; readonly amount: string; readonly error?: string | undefined }
  /** When the request ends, undecided. */
  readonly expiresAt: number
  readonly form: Form
  /** Where access is taken back. */
  readonly grantsPath: string
}

const whoVouches = (client: Client): Html => {
  if (client.isOwn) {
    return html`<p class="notice">This is the console of this gateway itself. It asks because you sign in to it.</p>`
  }
  const host = hostOf(client)
  return html`<p class="notice warn">
    <strong>Unverified.</strong> ${
      host === undefined
        ? "This application registered itself. Anybody can choose this name."
        : html`Only <strong>${host}</strong> vouches for this application. Approve if you trust it.`
    }
    Continue only if you started this yourself.
  </p>`
}

const facts = ({ client, redirectUri, signedIn }: ConsentView): Html => {
  const { kind, shown } = destinationOf(redirectUri)
  const host = hostOf(client)
  return html`<dl class="facts">
    <dt>Application</dt>
    <dd>
      <strong><bdi>${nameOf(client)}</bdi></strong>
      ${host !== undefined && html`<span class="small">from ${host}</span>`}
      <code>${foreignText(client.id, 120)}</code>
    </dd>
    <dt>Returns to</dt>
    <dd>
      <strong>${shown}</strong>
      ${kind === "this device" && html`<span class="small">a program on this device</span>`}
      <code>${foreignText(redirectUri, 200)}</code>
    </dd>
    <dt>Your account</dt>
    <dd>${signedIn.label}<code>${signedIn.account}</code></dd>
  </dl>`
}

const scopeItem = (scope: KnownScope): Html => {
  const { more, title } = scopeWords(scope)
  return html`<li>${title}${more !== undefined && html`<br /><span class="small soft">${more}</span>`}</li>`
}

const limit = ({ balance, limit: { amount, choice, error } }: ConsentView): Html =>
  html`<fieldset>
    <legend>How much may it spend?</legend>
    ${error !== undefined && html`<p class="error" id="amount-error" role="alert">${error}</p>`}
    <div class="choice">
      <input type="radio" id="limited" name="limit" value="amount" required${choice === "amount" && html` checked`} />
      <label for="limited"> Up to this amount <span class="small">in total; then its calls are refused</span> </label>
      <span class="amount">
        <input
          type="text"
          id="amount"
          name="amount"
          inputmode="decimal"
          autocomplete="off"
          maxlength="20"
          value="${amount}"
          aria-label="Spending limit in USD"
          ${error !== undefined && html` aria-invalid="true" aria-describedby="amount-error" autofocus`}
        />
        <span aria-hidden="true">USD</span>
      </span>
    </div>
    <div class="choice">
      <input type="radio" id="unlimited" name="limit" value="none" required${choice === "none" && html` checked`} />
      <label for="unlimited">
        No limit <span class="small">all of the balance, now ${usd(balance)}, and what is paid in later</span>
      </label>
    </div>
  </fieldset>`

export const consentPage = (view: ConsentView): Html => {
  const { access, client, expiresAt, form, grantsPath, name, redirectUri, scopes, signedIn } = view
  const spends = canSpend(scopes)
  return layout(
    { name, title: `${view.limit.error === undefined ? "" : "Error: "}Give access to ${nameOf(client)}`, signedIn },
    html`<div class="card">
      <h1>Give <bdi>${nameOf(client)}</bdi> access to your account?</h1>
      ${whoVouches(client)} ${accessNotice(nameOf(client), access)} ${facts(view)}
      <h2>It may</h2>
      <ul class="allows">
        ${scopes.map(scopeItem)}
      </ul>
      <form method="post" action="${form.action}">
        ${tokenField(form)} ${spends ? limit(view) : html`<p class="notice">It can spend nothing.</p>`}
        <div class="actions">
          <button class="main" name="decision" value="approve">Approve</button>
          <button name="decision" value="deny">Deny</button>
        </div>
      </form>
      <p class="small soft">
        Either way you return to ${destinationOf(redirectUri).shown}. You can take access back at any time at
        <a href="${grantsPath}">${grantsPath}</a>. This request expires at ${timeOf(expiresAt)}.
      </p>
    </div>`
  )
}
