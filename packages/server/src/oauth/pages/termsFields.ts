import type { BigMicroUsd } from "@tollgate/contract/Money"
import { pricesInShort } from "@tollgate/contract/price/notation"
import type { GrantPolicy, Offer } from "@tollgate/gateway/driver"
import { type Html, html } from "@tollgate/gateway/html"
import { categoryName, daysOffered, type Entered, type Errors, operationIds } from "./terms.ts"
import { leftUsd } from "./words.ts"

export interface TermsView {
  readonly entered: Entered
  readonly errors: Errors
  readonly policy: GrantPolicy
  /** `undefined`: there is nothing to choose from. */
  readonly offer: Offer | undefined
  readonly account: { readonly balance: BigMicroUsd; readonly multiplier: bigint }
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

const amountField = (name: string, value: string, label: string, problem: string | undefined): Html =>
  html`<span class="amount">
    <input
      type="text"
      id="${name}"
      name="${name}"
      inputmode="decimal"
      autocomplete="off"
      maxlength="20"
      value="${value}"
      aria-label="${label}"
      ${invalid(name, problem)}
    />
    <span aria-hidden="true">USD</span>
  </span>`

const radio = (id: string, name: string, value: string, chosen: string): Html =>
  html`<input type="radio" id="${id}" name="${name}" value="${value}" required${chosen === value && html` checked`} />`

const ask = ({ entered, errors }: TermsView): Html =>
  html`${error("ask", errors.askAbove)}
    <div class="choice">
      <label for="ask">
        Calls above this need your approval
        <span class="small">the app shows you a link to the call; empty: none do</span>
      </label>
      ${amountField("ask", entered.ask, "Calls above this need your approval, in USD", errors.askAbove)}
    </div>`

const total = (view: TermsView): Html => {
  const { account, entered, errors } = view
  return html`<fieldset>
    <legend>How much may it spend?</legend>
    ${error("amount", errors.limit)}
    <div class="choice">
      ${radio("limited", "limit", "amount", entered.limit)}
      <label for="limited"> Up to this amount <span class="small">in total; then its calls are refused</span> </label>
      ${amountField("amount", entered.amount, "Budget in USD", errors.limit)}
    </div>
    <div class="choice">
      ${radio("unlimited", "limit", "none", entered.limit)}
      <label for="unlimited">
        No limit
        <span class="small">all of the balance, now ${leftUsd(account.balance)}, and later top-ups</span>
      </label>
    </div>
    ${error("day", errors.dayLimit)}
    <div class="choice">
      <label for="day"
        >Daily budget <span class="small">Resets at midnight UTC. Leave empty for no daily budget.</span></label
      >
      ${amountField("day", entered.day, "Daily budget in USD", errors.dayLimit)}
    </div>
    ${ask(view)}
  </fieldset>`
}

const daysWords = (days: number): string => (days === 1 ? "1 day" : days === 365 ? "1 year" : `${days} days`)

const end = ({ entered, errors, policy }: TermsView): Html =>
  html`<fieldset>
    <legend>How long?</legend>
    ${error("days", errors.days)}
    <div class="choice">
      <label for="days"
        >Access ends <span class="small">you can change this, or revoke access, at any time</span></label
      >
      <select id="days" name="days" ${invalid("days", errors.days)}>
        ${daysOffered(policy).map(
          (days) =>
            html`<option value="${days}" ${entered.days === String(days) && html`selected`}>
              after ${daysWords(days)}
            </option>`
        )}
      </select>
    </div>
  </fieldset>`

const category = (one: Category, index: number, { account, entered }: TermsView): Html =>
  html`<li>
    <input
      type="checkbox"
      id="category-${index}"
      name="${categoryName(one.name)}"
      value="yes"
      ${entered.categories.includes(one.name) && html`checked`}
    />
    <label for="category-${index}"> ${one.name} <span class="small">${pricesOf(one, account.multiplier)}</span> </label>
  </li>`

const chosen = ({ account, entered }: TermsView, offer: Offer): Html => {
  const known = operationIds(entered.operations).flatMap((id) => {
    const price = offer.operations.get(id)
    return price === undefined ? [] : [{ id, count: 1, free: price.state === "free" ? 1 : 0, prices: price.ranges }]
  })
  return html`${known.map((one) => html`<p class="small soft"><code>${one.id}</code> ${pricesOf(one, account.multiplier)}</p>`)}`
}

const operations = (view: TermsView, offer: Offer): Html => {
  const { entered, errors } = view
  return html`<fieldset>
    <legend>What may it call?</legend>
    ${error("allow", errors.allowed)}
    <div class="choice">
      ${radio("all", "allow", "all", entered.allow)}
      <label for="all">Everything <span class="small">also what is added later</span></label>
    </div>
    <div class="choice">
      ${radio("some", "allow", "some", entered.allow)}
      <label for="some">Only what I choose</label>
    </div>
    <ul class="offered">
      ${offer.categories.map((one, index) => category(one, index, view))}
    </ul>
    <details${entered.operations !== "" && html` open`}>
      <summary class="small">Single operations</summary>
      <label class="small" for="operations">Their ids, separated by commas</label>
      <input
        type="text"
        id="operations"
        name="operations"
        autocomplete="off"
        maxlength="2000"
        value="${entered.operations}"
        ${invalid("allow", errors.allowed)}
      />
      ${chosen(view, offer)}
    </details>
  </fieldset>`
}

/** The fields with which a person chooses what a client may call and spend, and how long. */
export const termsFields = (view: TermsView): Html =>
  html`${view.offer !== undefined && operations(view, view.offer)} ${total(view)} ${end(view)}`
