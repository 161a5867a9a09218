import type { Payment } from "@tollgate/contract/account/Payment"
import { microsOf } from "../../ui/amounts.ts"
import { Tag } from "../../ui/kit.tsx"
import { type Column, Named } from "../../ui/Table.tsx"
import { fullTime } from "../../ui/times.ts"
import { states } from "./payment.ts"
import styles from "./billing.module.css"

const kindNames = { card: "Card", recharge: "Automatic recharge", invoice: "Bank transfer" } as const

/** The columns of payments, with those of the page after the first. */
export const paymentColumns = <P extends Payment>(...own: ReadonlyArray<Column<P>>): ReadonlyArray<Column<P>> => [
  { head: "Payment", kind: "name", cell: ({ id, kind }) => <Named id={id}>{kindNames[kind]}</Named> },
  ...own,
  { head: "Time", className: styles.time, cell: ({ created_at: at }) => <time dateTime={at}>{fullTime(at)}</time> },
  {
    head: "State",
    title: ({ paid_at }) => (paid_at === null ? undefined : fullTime(paid_at)),
    cell: ({ problem, state }) => (
      <div className={styles.state}>
        <Tag kind={states[state][1]}>{states[state][0]}</Tag> <span className="below small">{problem}</span>
      </div>
    )
  },
  { head: "Amount", usd: ({ amount_micros_usd }) => amount_micros_usd },
  { head: "Returned", usd: ({ returned_micros_usd: micros }) => (microsOf(micros) === 0n ? null : micros) }
]
