import { balance } from "@tollgate/client/account"
import type { AccountBalance, Transaction, TransactionKind } from "@tollgate/contract/account/Billing"
import type { Profile } from "@tollgate/contract/account/Profile"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { useProfile } from "../../session/useProfile.ts"
import { counted, leftUsd, microsOf, shortUsd } from "../../ui/amounts.ts"
import { dash, Notice } from "../../ui/kit.tsx"
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

/** How long the balance lasts. */
export const lastsFor = ({ day_micros_usd, lasts_until }: AccountBalance): string => {
  if (lasts_until === null) return microsOf(day_micros_usd) === 0n ? "No recent charges" : "More than ten years"
  const days = (Date.parse(lasts_until) - Date.now()) / 86_400_000
  if (days < 2) return ago(lasts_until, Date.now())
  return `About ${days < 730 ? counted(Math.floor(days), "day") : counted(Math.floor(days / 365), "year")}`
}

/** The same in a sentence. */
export const forecast = (balance: AccountBalance): string => {
  const { available_micros_usd, day_micros_usd, lasts_until } = balance
  if (microsOf(available_micros_usd) <= 0n) return "Nothing is available. Paid calls are refused."
  if (microsOf(day_micros_usd) === 0n) return "No charges in the last seven days, so no forecast."
  const until = lasts_until === null ? "" : ` until ${dateOnly(lasts_until)}`
  return `Lasts${until} at ${shortUsd(day_micros_usd)} a day: ${lastsFor(balance).toLowerCase()}.`
}

export const LowBalance = ({ of }: { readonly of: AccountBalance | undefined }) =>
  of?.is_low === true ? (
    <Notice kind="warn" title={`The balance is low: ${leftUsd(of.available_micros_usd)} available`}>
      <p>{forecast(of)} Calls that it cannot pay are refused.</p>
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
        <span className="soft">{counted(requests, "call")}</span>
      ) : (
        <span>
          {note === "" ? dash : note} {call === null ? null : link(call)}
        </span>
      )
  },
  { head: "Amount", usd: ({ amount_micros_usd }) => amount_micros_usd }
]
