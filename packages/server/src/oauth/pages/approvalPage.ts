import { partsInShort } from "@tollgate/gateway/driver"
import { type Html, html } from "@tollgate/gateway/html"
import type { Approval, Grant } from "@tollgate/gateway/operator"
import { spentWords } from "./access.ts"
import { type Form, layout, type SignedIn, tokenField } from "./layout.ts"
import { timeOf, usd } from "./words.ts"

export interface ApprovalView {
  readonly name: string
  readonly signedIn: SignedIn
  /** The app that asks, as it calls itself. */
  readonly client: string
  readonly approval: Approval
  readonly grant: Grant
  readonly isOver: boolean
  readonly form: Form
  /** The page that lists all of them. */
  readonly all: string
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
export const callFacts = (
  { likely, most, operation }: Approval,
  request: string | ReadonlyArray<Html>,
  more: Html | false = false
): Html =>
  html`<dl class="facts">
    <dt>It costs</dt>
    <dd><strong>About ${usd(likely)}, at most ${usd(most)}</strong></dd>
    ${more}
    <dt>Request</dt>
    <dd><div class="request" tabindex="0" role="region" aria-label="Request to ${operation}">${request}</div></dd>
  </dl>`

const buttons = (form: Form, { most }: Approval): Html =>
  html`<form method="post" action="${form.action}">
    ${tokenField(form)}
    <div class="actions stack">
      <button class="main" name="decision" value="yes">Approve this call, up to ${usd(most)}</button>
      <button name="decision" value="no">Deny</button>
    </div>
  </form>`

const state = ({ approval, client, form, grant, isOver }: ApprovalView): Html => {
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

export const approvalPage = (view: ApprovalView): Html => {
  const { all, approval, client, grant, name, signedIn } = view
  const { most, operation } = approval
  return layout(
    { name, title: "Approve one call?", signedIn },
    html`<div class="card">
      <h1>Approve this call of <bdi>${client}</bdi>?</h1>
      <p class="soft">You chose to be asked before it spends more than ${usd(grant.askAbove ?? most)} on one call.</p>
      ${callFacts(
        approval,
        wholeRequest(approval.request),
        html`<dt>Operation</dt>
          <dd>${operation}</dd>
          <dt>Spent so far</dt>
          <dd>${spentWords(grant)}</dd>`
      )}
      ${state(view)}
      <p class="small"><a href="${all}">All calls waiting for your approval</a></p>
    </div>`
  )
}
