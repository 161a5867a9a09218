import { untrustedText, type Html, html } from "@tollgate/gateway/html"
import type { Grant } from "@tollgate/gateway/operator"
import { canSpend, type Client, destinationOf, hostOf, type KnownScope, nameOf, scopeWords } from "./client.ts"
import { type Form, layout, type SignedIn, tokenField } from "./Page.ts"
import { type TermsView, termsFields } from "./termsFields.ts"
import { spentWords, timeOf } from "./words.ts"

export interface ConsentView {
  readonly name: string
  readonly signedIn: SignedIn
  readonly client: Client
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<KnownScope>
  /** What the client has already. */
  readonly access: Grant | undefined
  /** What the person chooses. `undefined`: it can spend nothing. */
  readonly terms: TermsView | undefined
  /** The most that can be spent with what is chosen, in a sentence. `undefined` if there is an error. */
  readonly most: string | undefined
  /** When the request ends, undecided. */
  readonly expiresAt: number
  readonly form: Form
  /** Where access is revoked, if the gateway has its console. */
  readonly grantsPage: string | undefined
}

const whoVouches = (client: Client): Html => {
  if (client.isOwn) {
    return html`<p class="notice">This is the console of this gateway itself. It asks because you sign in to it.</p>`
  }
  const host = hostOf(client)
  return html`<p class="notice warn">
    <strong>Unverified.</strong> ${
      host === undefined
        ? "This app registered itself. Anybody can choose this name."
        : html`Only <strong>${host}</strong> vouches for this app. Approve if you trust it.`
    }
    Continue only if you started this yourself.
  </p>`
}

/** Says what the client has already, and what an approval does to it. */
const accessNotice = (name: string, access: Grant | undefined): Html | false => {
  if (access === undefined) return false
  const spent = canSpend(access.scopes)
    ? `${spentWords(access)}${access.limit === null ? "" : " spent"}`
    : "cannot spend"
  return html`<p class="notice">
    <bdi>${name}</bdi> already has access (${spent}). If you approve, it goes on under what you choose here, on all
    devices that use it.
  </p>`
}

const facts = ({ client, redirectUri, signedIn }: ConsentView): Html => {
  const { kind, shown } = destinationOf(redirectUri)
  const host = hostOf(client)
  return html`<dl class="facts">
    <dt>App</dt>
    <dd>
      <strong><bdi>${nameOf(client)}</bdi></strong>
      ${host !== undefined && html`<span class="small">from ${host}</span>`}
      <code>${untrustedText(client.id, 120)}</code>
    </dd>
    <dt>Returns to</dt>
    <dd>
      <strong>${shown}</strong>
      ${kind === "this device" && html`<span class="small">an app on this device</span>`}
      <code>${untrustedText(redirectUri, 200)}</code>
    </dd>
    <dt>Your account</dt>
    <dd>${signedIn.label}<code>${signedIn.account}</code></dd>
  </dl>`
}

const scopeItem = (scope: KnownScope): Html => {
  const { more, title } = scopeWords(scope)
  return html`<li>${title}${more !== undefined && html`<br /><span class="small soft">${more}</span>`}</li>`
}

/** Enter in a field shows the sum: the first button of a form is pressed, and it must not approve. */
const sum = (most: string | undefined): Html =>
  html`<div class="sum">
    <p role="status">${most ?? "Correct what is marked above."}</p>
    <button name="decision" value="show">Update</button>
  </div>`

export const consentPage = (view: ConsentView): Html => {
  const { access, client, expiresAt, form, grantsPage, most, name, redirectUri, scopes, signedIn, terms } = view
  const hasError = terms !== undefined && most === undefined
  return layout(
    { name, title: `${hasError ? "Error: " : ""}Give access to ${nameOf(client)}`, signedIn },
    html`<div class="card">
      <h1>Give <bdi>${nameOf(client)}</bdi> access to your account?</h1>
      ${whoVouches(client)} ${accessNotice(nameOf(client), access)} ${facts(view)}
      <h2>It may</h2>
      <ul class="allows">
        ${scopes.map(scopeItem)}
      </ul>
      <form method="post" action="${form.action}">
        ${tokenField(form)}
        ${terms === undefined ? html`<p class="notice">It can spend nothing.</p>` : [termsFields(terms), sum(most)]}
        <div class="actions">
          <button class="main" name="decision" value="approve">Approve</button>
          <button name="decision" value="deny">Deny</button>
        </div>
      </form>
      <p class="small soft">
        Either way you return to ${destinationOf(redirectUri).shown}. You can revoke access at any
        time${grantsPage !== undefined && html` at <a href="${grantsPage}">${grantsPage}</a>`}. This request expires at
        ${timeOf(expiresAt)}.
      </p>
    </div>`
  )
}
