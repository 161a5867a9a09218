import { inShort } from "@tollgate/gateway/driver"
import { type Html, html } from "@tollgate/gateway/html"
import type { Approval } from "@tollgate/gateway/operator"
import { callFacts } from "./approvalPage.ts"
import { type Form, layout, type SignedIn, tokenField } from "./layout.ts"
import { timeOf, usd } from "./words.ts"

export interface ListedApproval {
  readonly approval: Approval
  /** The app that asks, as it calls itself. */
  readonly client: string
  /** The page of this one, which takes the decision. */
  readonly form: Form
  readonly isOver: boolean
}

export interface ApprovalsView {
  readonly name: string
  readonly signedIn: SignedIn
  readonly grantsPage: string
  /** Those that wait first. */
  readonly approvals: ReadonlyArray<ListedApproval>
}

const isWaiting = ({ approval, isOver }: ListedApproval): boolean => approval.decision === undefined && !isOver

const waitingCard = ({ approval, client, form }: ListedApproval): Html => {
  const { endsAt, id, most } = approval
  const request = inShort(approval.request)
  return html`<section class="card grant" aria-labelledby="${id}">
    <h2 id="${id}"><bdi>${client}</bdi> wants to call <code>${approval.operation}</code></h2>
    ${callFacts(approval, request)}
    <form method="post" action="${form.action}">
      ${tokenField(form)}
      <input type="hidden" name="from" value="list" />
      <div class="actions stack">
        ${
          request === approval.request
            ? html`<button class="main" name="decision" value="yes">Approve, up to ${usd(most)}</button>`
            : html`<a href="${form.action}">Read all of the request and decide</a>`
        }
        <button name="decision" value="no">Deny</button>
      </div>
    </form>
    <p class="small soft">
      Decide until ${timeOf(endsAt)}. Your approval is for this one call, exactly as it was sent.
    </p>
  </section>`
}

const outcome = ({ approval: { call, decision, isLost }, isOver }: ListedApproval): string => {
  if (decision === "no") return "denied"
  if (call !== undefined) return "approved and made"
  if (decision === undefined) return "expired"
  if (isLost) return "approved, but not made"
  return isOver ? "approved, but not made in time" : "approved, not made yet"
}

const decidedItem = (listed: ListedApproval): Html => {
  const { approval, client, form } = listed
  return html`<li>
    <a href="${form.action}"><code>${approval.operation}</code></a> for <bdi>${client}</bdi>: ${outcome(listed)}
    <p class="small soft">${timeOf(approval.createdAt)}, at most ${usd(approval.most)}</p>
  </li>`
}

export const approvalsPage = ({ approvals, grantsPage, name, signedIn }: ApprovalsView): Html => {
  const waiting = approvals.filter(isWaiting)
  const decided = approvals.filter((listed) => !isWaiting(listed))
  return layout(
    { name, title: "Calls waiting for your approval", signedIn, wide: true },
    html`<h1>Calls waiting for your approval</h1>
      <p class="soft">
        An app asks you before it makes a call that can cost more than you chose.
        <a href="${grantsPage}">Change what apps may do</a>
      </p>
      ${waiting.length === 0 ? html`<div class="card"><p>No call waits.</p></div>` : waiting.map(waitingCard)}
      ${
        decided.length > 0 &&
        html`<h2>Decided</h2>
          <ul class="ended">
            ${decided.map(decidedItem)}
          </ul>`
      }`
  )
}
