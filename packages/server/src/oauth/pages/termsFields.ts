import type { BigMicroUsd } from "@tollgate/contract/Money"
import { pricesInShort } from "@tollgate/contract/price/notation"
import type { GrantPolicy, Offer } from "@tollgate/gateway/driver"
import { type Html, html } from "@tollgate/gateway/html"
import { categoryName, daysOffered, type Entered, type Errors, keepsEnd, operationIds } from "./terms.ts"
import { dateOf, leftUsd } from "./words.ts"

export interface TermsView {
  /** Makes the ids of the fields unique on a page with several forms. */
  readonly prefix?: string
  readonly entered: Entered
  readonly errors: Errors
  readonly policy: GrantPolicy
  /** `undefined`: there is nothing to choose from. */
  readonly offer: Offer | undefined
  readonly account: { readonly balance: BigMicroUsd; readonly multiplier: bigint }
  /** The end of the grant that is changed. */
  readonly endsAt?: number
  /** Whether its client is a machine, which cannot ask anybody. */
  readonly isMachine?: boolean
}

type Category = Offer["categories"][number]

/** More units than these say little at a glance. */
const mostUnits = 2

const pricesOf = ({ count, free, prices }: Pick<Category, "count" | "free" | "prices">, multiplier: bigint): string => {
  if (free === count) return "free"
  if (prices.length === 0) return "no price is set yet"
  const own = (amount: number) => (amount * Number(multiplier)) / 1_000_000
  const shown = prices.slice(0, mostUnits).map(({ from, per, to }) => ({ per, from: own(from), to: own(to) }))
  return `${pricesInShort(shown)}${prices.length > mostUnits ? ", and more" : ""}${free > 0 ? "; some are free" : ""}`
}

const error = (id: string, text: string | undefined): Html | false =>
  text !== undefined && html`<p class="error" id="${id}-error" role="alert">${text}</p>`

const invalid = (id: string, text: string | undefined): Html | false =>
  text !== undefined && html` aria-invalid="true" aria-describedby="${id}-error"`

const amountField = (id: string, name: string, value: string, label: string, problem: string | undefined): Html =>
  html`<span class="amount">
    <input
      type="text"
      id="${id}"
      name="${name}"
      inputmode="decimal"
      autocomplete="off"
      maxlength="20"
      value="${value}"
      aria-label="${label}"
      ${invalid(id, problem)}
    />
    <span aria-hidden="true">USD</span>
  </span>`

const ask = ({ entered, errors, prefix = "" }: TermsView): Html =>
  html`${error(`${prefix}ask`, errors.ask)}
    <div class="choice">
      <label for="${prefix}ask">
        Calls above this need your approval
        <span class="small">the app shows you a link to the call; empty: none do</span>
      </label>
      ${amountField(`${prefix}ask`, "ask", entered.ask, "Calls above this need your approval, in USD", errors.ask)}
    </div>`

const total = (view: TermsView): Html => {
  const { account, entered, errors, isMachine = false, prefix = "" } = view
  return html`<fieldset>
    <legend>How much may it spend?</legend>
    ${error(`${prefix}amount`, errors.limit)}
    <div class="choice">
      <input
        type="radio"
        id="${prefix}limited"
        name="limit"
        value="amount"
        required${entered.limit === "amount" && html` checked`}
      />
      <label for="${prefix}limited">
        Up to this amount <span class="small">in total; then its calls are refused</span>
      </label>
      ${amountField(`${prefix}amount`, "amount", entered.amount, "Limit in USD", errors.limit)}
    </div>
    <div class="choice">
      <input
        type="radio"
        id="${prefix}unlimited"
        name="limit"
        value="none"
        required${entered.limit === "none" && html` checked`}
      />
      <label for="${prefix}unlimited">
        No limit
        <span class="small">all of the balance, now ${leftUsd(account.balance)}, and later top-ups</span>
      </label>
    </div>
    ${error(`${prefix}day`, errors.day)}
    <div class="choice">
      <label for="${prefix}day">Daily limit <span class="small">days are UTC; empty: no daily limit</span></label>
      ${amountField(`${prefix}day`, "day", entered.day, "Daily limit in USD", errors.day)}
    </div>
    ${!isMachine && ask(view)}
  </fieldset>`
}

const daysWords = (days: number): string => (days === 1 ? "1 day" : days === 365 ? "1 year" : `${days} days`)

const end = ({ endsAt, entered, errors, policy, prefix = "" }: TermsView): Html =>
  html`<fieldset>
    <legend>How long?</legend>
    ${error(`${prefix}days`, errors.days)}
    <div class="choice">
      <label for="${prefix}days"
        >Access ends <span class="small">you can change this, or revoke access, at any time</span></label
      >
      <select id="${prefix}days" name="days" ${invalid(`${prefix}days`, errors.days)}>
        ${
          endsAt !== undefined &&
          html`<option value="${keepsEnd}" ${entered.days === keepsEnd && html`selected`}>on ${dateOf(endsAt)}</option>`
        }
        ${daysOffered(policy).map(
          (days) =>
            html`<option value="${days}" ${entered.days === String(days) && html`selected`}>
              after ${daysWords(days)}
            </option>`
        )}
      </select>
    </div>
  </fieldset>`

const category = (one: Category, index: number, { account, entered, prefix = "" }: TermsView): Html =>
  html`<li>
    <input
      type="checkbox"
      id="${prefix}category-${index}"
      name="${categoryName(one.name)}"
      value="yes"
      ${entered.categories.includes(one.name) && html`checked`}
    />
    <label for="${prefix}category-${index}">
      ${one.name} <span class="small">${pricesOf(one, account.multiplier)}</span>
    </label>
  </li>`

/** The single operations that were chosen, with their prices. */
const chosen = ({ account, entered }: TermsView, offer: Offer): Html => {
  const known = operationIds(entered.operations).flatMap((id) => {
    const price = offer.operations.get(id)
    return price === undefined ? [] : [{ id, count: 1, free: price.state === "free" ? 1 : 0, prices: price.ranges }]
  })
  return html`${known.map((one) => html`<p class="small soft"><code>${one.id}</code> ${pricesOf(one, account.multiplier)}</p>`)}`
}

const operations = (view: TermsView, offer: Offer): Html => {
  const { entered, errors, prefix = "" } = view
  return html`<fieldset>
    <legend>What may it call?</legend>
    ${error(`${prefix}allow`, errors.allow)}
    <div class="choice">
      <input type="radio" id="${prefix}all" name="allow" value="all" required${entered.allow === "all" && html` checked`} />
      <label for="${prefix}all">Everything <span class="small">also what is added later</span></label>
    </div>
    <div class="choice">
      <input
        type="radio"
        id="${prefix}some"
        name="allow"
        value="some"
        required${entered.allow === "some" && html` checked`}
      />
      <label for="${prefix}some">Only what I choose</label>
    </div>
    <ul class="offered">
      ${offer.categories.map((one, index) => category(one, index, view))}
    </ul>
    <details${entered.operations !== "" && html` open`}>
      <summary class="small">Single operations</summary>
      <label class="small" for="${prefix}operations">Their ids, separated by commas</label>
      <input
        type="text"
        id="${prefix}operations"
        name="operations"
        autocomplete="off"
        maxlength="2000"
        value="${entered.operations}"
        ${invalid(`${prefix}allow`, errors.allow)}
      />
      ${chosen(view, offer)}
    </details>
  </fieldset>`
}

/** The fields with which a person chooses what a client may call and spend, and how long. */
export const termsFields = (view: TermsView): Html =>
  html`${view.offer !== undefined && operations(view, view.offer)} ${total(view)} ${end(view)}`
