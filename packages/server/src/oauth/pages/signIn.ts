import { Accounts, type NotSignedIn, SignIn } from "@tollgate/gateway"
import type { Issued } from "@tollgate/gateway/driver"
import { type Html, html } from "@tollgate/gateway/html"
import type { Account } from "@tollgate/gateway/operator"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type Answer, type Ask, noCookie, sessionCookie, stop } from "./Ask.ts"
import { messages } from "./messages.ts"
import { type Form, layout, page, redirect, type SignedIn, tokenField } from "./Page.ts"

/** A page for people who are signed in. They sign in and out at paths below it. */
export interface Place {
  readonly path: string
  readonly purpose: Html
  /** The client that waits for the sign-in, if any. */
  readonly client?: { readonly redirectUri: string; readonly destination: string; readonly deny: Form }
}

const accountPath = "/account"
const linkPath = `${accountPath}/sign-in/link`

const account: Place = {
  path: accountPath,
  purpose: html`Then you can give apps access to your account.`
}

const deny = ({ deny, destination }: NonNullable<Place["client"]>): Html =>
  html`<form class="aside small soft" method="post" action="${deny.action}">
    ${tokenField(deny)}Not now? <button name="decision" value="deny">Go back to ${destination}</button>
  </form>`

const signInPage = ({ name, site, visit }: Ask, { client, path, purpose }: Place, error: string | undefined): Html => {
  const form = visit.form(`${path}/sign-in`)
  return layout(
    { name, title: error === undefined ? "Sign in" : "Error: sign in" },
    html`<div class="card">
      <h1>Sign in</h1>
      <p class="soft">${purpose}</p>
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
        <a href="${site.prefix}${path}">continue here</a>.
      </p>
      ${client && deny(client)}
    </div>`
  )
}

const texts = {
  "wrong key": "This key is not valid. It may be incomplete, revoked, or of another gateway.",
  "limited key": "This key is limited, so it cannot give access to the account. Use another key, or a sign-in link.",
  "used link": "This link no longer works."
}

const failure = ({ retryAfter = 0, why }: NotSignedIn) => {
  if (why !== "too many") return { status: 403, text: texts[why], headers: {} }
  const seconds = Math.max(1, Math.ceil(retryAfter / 1_000))
  return {
    status: 429,
    text: `Too many wrong keys came from your network. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
    headers: { "retry-after": String(seconds) }
  }
}

/** The form with which a person signs in to a place. `failed`: why it is shown again. */
export const showSignIn = (ask: Ask, place: Place, failed?: NotSignedIn) => {
  const { headers, status, text } = failed === undefined ? { headers: {}, status: 200 } : failure(failed)
  return page(status, signInPage(ask, place, text), {
    headers: { ...ask.visit.headers, ...headers },
    redirectUri: place.client?.redirectUri
  })
}

export const signedInAccount = Effect.fnUntraced(function* ({ visit }: Ask) {
  const found = yield* (yield* SignIn).find(visit.secret)
  return Option.isNone(found) ? undefined : yield* (yield* Accounts).get(found.value.account)
})

const nameOf = ({ id, label }: Account): string => (label === "" ? id : label)

/** `path`: the place that is shown. */
export const shownAccount = ({ visit }: Ask, account: Account, path: string): SignedIn => ({
  label: nameOf(account),
  account: account.id,
  signOut: visit.form(`${path}/sign-out`)
})

/** Begins a session in place of the one that this browser may have had, and goes on there. */
const begin = Effect.fnUntraced(function* ({ site, visit }: Ask, { endsAt, secret }: Issued, path: string) {
  yield* (yield* SignIn).end(visit.secret)
  const millis = endsAt - (yield* Clock.currentTimeMillis)
  return redirect(`${site.prefix}${path}`, sessionCookie(site, Redacted.value(secret), millis))
})

export const signInTo = (ask: Ask, place: Place): Answer => {
  const key = Redacted.make((ask.form.get("key") ?? "").trim(), { label: "api key" })
  return SignIn.use(({ withKey }) => withKey(key, ask.address)).pipe(
    Effect.flatMap((session) => begin(ask, session, place.path)),
    Effect.catchTag("NotSignedIn", (failed) => Effect.succeed(showSignIn(ask, place, failed)))
  )
}

export const signOutOf = ({ site, visit }: Ask, path: string): Answer =>
  SignIn.use(({ end }) => Effect.as(end(visit.secret), redirect(`${site.prefix}${path}`, noCookie(site))))

export const showAccount = (ask: Ask): Answer =>
  Effect.map(signedInAccount(ask), (signedIn) => {
    if (signedIn === undefined) return showSignIn(ask, account)
    const { grantsPage, name, visit } = ask
    const body = html`<div class="card">
      <h1>You are signed in</h1>
      <p>
        This browser can give apps access to the account <code>${signedIn.id}</code>. Go back to the page on which an
        app asks for access.
      </p>
      ${grantsPage !== undefined && html`<p><a href="${grantsPage}">Manage the apps with access</a></p>`}
    </div>`
    const frame = { name, title: "Signed in", signedIn: shownAccount(ask, signedIn, account.path) }
    return page(200, layout(frame, body), { headers: visit.headers })
  })

export const signInToAccount = (ask: Ask): Answer => signInTo(ask, account)

export const signOutOfAccount = (ask: Ask): Answer => signOutOf(ask, account.path)

/** Shows what the link is for. Only the form uses it up, so that a program that previews links does not. */
export const openLink = (ask: Ask, link: string): Answer =>
  Effect.gen(function* () {
    const found = yield* (yield* SignIn).findLink(link)
    if (Option.isNone(found)) return yield* stop(messages.usedLink)
    const account = yield* (yield* Accounts).get(found.value)
    const form = ask.visit.form(linkPath)
    const body = html`<div class="card">
      <h1>Sign in to ${nameOf(account)}</h1>
      <p class="soft">This link signs you in to the account <code>${account.id}</code> for an hour. It works once.</p>
      <form method="post" action="${form.action}">
        ${tokenField(form)}<input type="hidden" name="link" value="${link}" />
        <div class="actions"><button class="main" autofocus>Sign in</button></div>
      </form>
    </div>`
    return page(200, layout({ name: ask.name, title: "Sign in" }, body), { headers: ask.visit.headers })
  })

export const signInWithLink = (ask: Ask): Answer =>
  SignIn.use(({ withLink }) => withLink(ask.form.get("link") ?? "", ask.address)).pipe(
    Effect.flatMap((session) => begin(ask, session, account.path)),
    Effect.catchTag("NotSignedIn", (failed) =>
      failed.why === "too many" ? Effect.succeed(showSignIn(ask, account, failed)) : stop(messages.usedLink)
    )
  )
