import { Approvals, Grants } from "@tollgate/gateway"
import { partsInShort } from "@tollgate/gateway/driver"
import { type Html, html } from "@tollgate/gateway/html"
import type { Account, Approval, Grant } from "@tollgate/gateway/operator"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Answer, type Ask, stop } from "./Ask.ts"
import { nameOf } from "./client.ts"
import { messages } from "./messages.ts"
import { type Form, layout, page, redirect, type SignedIn, tokenField } from "./Page.ts"
import { type Place, shownAccount, showSignIn, signedInAccount, signInTo, signOutOf } from "./signIn.ts"
import { spentWords, timeOf, usd } from "./words.ts"

interface View {
  readonly name: string
  readonly signedIn: SignedIn
  /** The app that asks, as it calls itself. */
  readonly client: string
  readonly approval: Approval
  readonly grant: Grant
  readonly isOver: boolean
  readonly form: Form
  /** Where the others are. */
  readonly grantsPage: string | undefined
}

/** All of the request. A long line shows its beginning and its end, and opens. */
const wholeRequest = (request: string): ReadonlyArray<Html> =>
  partsInShort(request).map(({ short, text }) =>
    short === undefined
      ? html`${text}`
      : html`<details>
          <summary>${short} <span class="soft">(${text.length} characters; open to read all)</span></summary>
          <div>${text}</div>
        </details>`
  )

/** What a person has to know of a call to decide on it. */
const facts = ({ approval, grant }: View): Html => {
  const { likely, most, operation } = approval
  const request = wholeRequest(approval.request)
  return html`<dl class="facts">
    <dt>It costs</dt>
    <dd><strong>About ${usd(likely)}, at most ${usd(most)}</strong></dd>
    <dt>Operation</dt>
    <dd>${operation}</dd>
    <dt>Spent so far</dt>
    <dd>${spentWords(grant)}</dd>
    <dt>Request</dt>
    <dd><div class="request" tabindex="0" role="region" aria-label="Request to ${operation}">${request}</div></dd>
  </dl>`
}

const buttons = (form: Form, { most }: Approval): Html =>
  html`<form method="post" action="${form.action}">
    ${tokenField(form)}
    <div class="actions stack">
      <button class="main" name="decision" value="yes">Approve this call, up to ${usd(most)}</button>
      <button name="decision" value="no">Deny</button>
    </div>
  </form>`

const state = ({ approval, client, form, grant, isOver }: View): Html => {
  const { call, decision, endsAt } = approval
  if (decision === "no") return html`<p class="notice" role="status">You denied this call.</p>`
  if (call !== undefined) {
    return html`<p class="notice" role="status">You approved this call, and it was made: <code>${call}</code></p>`
  }
  if (approval.isLost) {
    return html`<p class="notice warn">
      You approved this call, but it was not made: the gateway stopped when the call arrived. Nothing was charged. The
      app can ask again.
    </p>`
  }
  if (grant.ended) return html`<p class="notice warn">The access of this app has ended.</p>`
  if (isOver)
    return html`<p class="notice warn">This request has ended, and the call was not made. The app can ask again.</p>`
  return decision === "yes"
    ? html`<p class="notice" role="status">
        You approved this call. It was not made yet. Tell <bdi>${client}</bdi> to go on. It has until ${timeOf(endsAt)}.
      </p>`
    : html`${buttons(form, approval)}
        <p class="small soft">
          Decide until ${timeOf(endsAt)}. Your approval is for this one call, exactly as it was sent.
        </p>`
}

const approvalPage = (view: View): Html => {
  const { approval, client, grant, grantsPage, name, signedIn } = view
  return layout(
    { name, title: "Approve one call?", signedIn },
    html`<div class="card">
      <h1>Approve this call of <bdi>${client}</bdi>?</h1>
      <p class="soft">
        You chose to be asked before it spends more than ${usd(grant.askAbove ?? approval.most)} on one call.
      </p>
      ${facts(view)} ${state(view)}
      ${
        grantsPage !== undefined &&
        html`<p class="small"><a href="${grantsPage}">All calls waiting for your approval, and apps with access</a></p>`
      }
    </div>`
  )
}

export const approvalPath = (id: string): string => `/account/approvals/${id}`

const placeOf = (id: string): Place => ({
  path: approvalPath(id),
  purpose: html`Then decide on a call that an app wants to make.`
})

export const signIn = (ask: Ask, id: string): Answer => signInTo(ask, placeOf(id))

export const signOut = (ask: Ask, id: string): Answer => signOutOf(ask, approvalPath(id))

/** What is asked, of this account. That of another account is not there. */
const find = Effect.fnUntraced(function* (id: string, account: Account) {
  const found = Option.getOrUndefined(yield* (yield* Approvals).find(id))
  const grant = found && Option.getOrUndefined(yield* (yield* Grants).find(found.grant))
  if (found === undefined || grant === undefined || found.account !== account.id) return yield* stop(messages[404])
  return { approval: found, grant }
})

export const show = (ask: Ask, id: string): Answer =>
  Effect.gen(function* () {
    const account = yield* signedInAccount(ask)
    if (account === undefined) return showSignIn(ask, placeOf(id))
    const { approval, grant } = yield* find(id, account)
    const { grantsPage, name, visit } = ask
    const view: View = {
      name,
      signedIn: shownAccount(ask, account, approvalPath(id)),
      client: nameOf(grant.client),
      approval,
      grant,
      isOver: approval.endsAt <= (yield* Clock.currentTimeMillis),
      form: visit.form(approvalPath(id)),
      grantsPage
    }
    return page(200, approvalPage(view), { headers: visit.headers })
  })

/** The first decision counts: another tab, or a double click, is shown what was decided. */
export const decide = (ask: Ask, id: string): Answer =>
  Effect.gen(function* () {
    const account = yield* signedInAccount(ask)
    const here = redirect(`${ask.site.prefix}${approvalPath(id)}`)
    if (account === undefined) return here
    const decision = ask.form.get("decision")
    if (decision !== "yes" && decision !== "no") return yield* stop(messages[400])
    yield* find(id, account)
    yield* (yield* Approvals).decide(id, decision)
    return here
  })
