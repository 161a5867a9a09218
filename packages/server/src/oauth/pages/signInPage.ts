import { type Html, html } from "@tollgate/gateway/html"
import { type Form, layout, tokenField } from "./layout.ts"

export interface SignInView {
  readonly name: string
  /** The client that waits for the sign-in, if any. */
  readonly client?: { readonly name: string; readonly destination: string; readonly deny: Form } | undefined
  /** What comes after the sign-in, if it is not a client that waits. */
  readonly purpose?: string | undefined
  readonly form: Form
  readonly error?: string | undefined
  /** The address of this page, to open again after a sign-in by link. */
  readonly here: string
}

const deny = ({ deny, destination }: NonNullable<SignInView["client"]>): Html =>
  html`<form class="aside small soft" method="post" action="${deny.action}">
    ${tokenField(deny)}Not now? <button name="decision" value="deny">Go back to ${destination}</button>
  </form>`

const why = ({ client, purpose = "See which apps have access to your account, and revoke it." }: SignInView) =>
  client === undefined
    ? html`<p class="soft">${purpose}</p>`
    : html`<p class="soft">
        Then decide whether <strong><bdi>${client.name}</bdi></strong> gets access to your account.
      </p>`

export const signInPage = (view: SignInView): Html => {
  const { client, error, form, here, name } = view
  return layout(
    { name, title: error === undefined ? "Sign in" : "Error: sign in" },
    html`<div class="card">
      <h1>Sign in</h1>
      ${why(view)}
      <form method="post" action="${form.action}">
        ${tokenField(form)}
        <div class="field">
          <label for="key">API key</label>
          <p class="hint" id="key-hint">
            A key of the account. It begins with <code>tg_</code>. It is used to sign you in, and the app does not get
            it.
          </p>
          ${error !== undefined && html`<p class="error" id="key-error" role="alert">${error}</p>`}
          <input
            type="password"
            id="key"
            name="key"
            required
            autocomplete="off"
            autocapitalize="none"
            spellcheck="false"
            maxlength="200"
            aria-describedby="${error === undefined ? "key-hint" : "key-error key-hint"}"
            ${error !== undefined && html` aria-invalid="true"`}
            autofocus
          />
        </div>
        <div class="actions"><button class="main">Sign in</button></div>
      </form>
      <h2>No key at hand?</h2>
      <p class="small soft">
        Ask the operator of this gateway for a sign-in link. Open it in this browser, then
        <a href="${here}">continue here</a>.
      </p>
      ${client && deny(client)}
    </div>`
  )
}

export interface LinkView {
  readonly name: string
  readonly account: { readonly id: string; readonly label: string }
  readonly form: Form
  /** The secret of the link. */
  readonly link: string
}

export const linkPage = ({ account, form, link, name }: LinkView): Html =>
  layout(
    { name, title: "Sign in" },
    html`<div class="card">
      <h1>Sign in to ${account.label === "" ? account.id : account.label}</h1>
      <p class="soft">This link signs you in to the account <code>${account.id}</code> for an hour. It works once.</p>
      <form method="post" action="${form.action}">
        ${tokenField(form)}<input type="hidden" name="link" value="${link}" />
        <div class="actions"><button class="main" autofocus>Sign in</button></div>
      </form>
    </div>`
  )
