import { balance } from "@tollgate/client/account"
import type { AccountBalance, Transaction, TransactionKind } from "@tollgate/contract/account/Billing"
import type { Profile } from "@tollgate/contract/account/Profile"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { useProfile } from "../../session/useProfile.ts"
import { count, leftUsd, microsOf, shortUsd } from "../../ui/amounts.ts"
import { Notice } from "../../ui/kit.tsx"
import type { Column } from "../../ui/Table.tsx"
import { ago, dateOnly, fullTime } from "../../ui/times.ts"
import styles from "./billing.module.css"

const load = balance()
const none = Effect.undefined

/** Whether the credential sees the account's balance. `undefined`: not known yet. */
export const useSeesBalance = (): boolean | undefined => {
  const { value } = useProfile()
  return value && seesBalance(value)
}

const seesBalance = ({ account }: Profile): boolean => account.balance_micros_usd !== null

/** The account's balance, for a credential that sees it. */
export const useBalance = (sees: boolean | undefined) =>
  useLoad<AccountBalance | undefined, unknown>(sees === true ? load : none, { every: "10 seconds", keep: true })

/** How long the balance lasts, in a sentence. */
export const forecast = ({ available_micros_usd, day_micros_usd, lasts_until }: AccountBalance): string => {
  if (microsOf(available_micros_usd) <= 0n) return "Nothing is available. Paid calls are refused."
  if (microsOf(day_micros_usd) === 0n) return "No charges in the last seven days, so no forecast."
  const pace = `At this pace, ${shortUsd(day_micros_usd)} a day, it lasts`
  if (lasts_until === null) return `${pace} more than ten years.`
  const days = (Date.parse(lasts_until) - Date.now()) / 86_400_000
  return days < 2
    ? `${pace} until ${fullTime(lasts_until)}, ${ago(lasts_until, Date.now())}.`
    : `${pace} until ${dateOnly(lasts_until)}, about ${count(Math.floor(days))} days.`
}

export const LowBalance = ({ of }: { readonly of: AccountBalance | undefined }) =>
  of?.is_low === true ? (
    <Notice kind="warn" title={`The balance is low: ${leftUsd(of.available_micros_usd)} available`}>
      <p>{forecast(of)} Top it up before then: calls that it cannot pay are refused.</p>
    </Notice>
  ) : null

export const kindNames: Readonly<Record<TransactionKind, string>> = {
  charges: "Charges",
  topup: "Top-up",
  credit: "Credit",
  adjustment: "Correction",
  reversal: "Reversed payment",
  refund: "Refund"
}

const utcDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" })
const utcMonth = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" })

/** `November 2026`. */
export const monthName = (month: string): string => utcMonth.format(new Date(`${month}-01T00:00:00Z`))

const callsText = (requests: number): string => `${count(requests)} ${requests === 1 ? "call" : "calls"}`

/** The columns of transactions. `link`: to the call that is refunded. */
export const transactionColumns = <T extends Transaction>(
  link: (call: string) => React.ReactNode
): ReadonlyArray<Column<T>> => [
  {
    head: "Day (UTC)",
    className: styles.when,
    title: ({ at, kind }) => (kind === "charges" ? undefined : fullTime(at)),
    cell: ({ at }) => <time dateTime={at}>{utcDay.format(new Date(at))}</time>
  },
  { head: "Transaction", kind: "name", cell: ({ kind }) => kindNames[kind] },
  {
    head: "Note",
    className: styles.note,
    cell: ({ call, kind, note, requests }) =>
      kind === "charges" ? (
        <span className="soft">{callsText(requests)}</span>
      ) : (
        <span>
          {note === "" ? <span className="soft">–</span> : note} {call === null ? null : link(call)}
        </span>
      )
  },
  { head: "Amount", usd: ({ amount_micros_usd }) => amount_micros_usd }
]
